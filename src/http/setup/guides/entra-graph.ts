import type { Guide } from './guide.ts';

/** Microsoft Entra ID by Graph: nothing is configured there, an administrator gives consent. */
export const entraGraph: Guide = {
  name: 'Microsoft Entra ID (without SCIM)',
  page: 'entra-graph.md',
  connectionAt: '**Enterprise apps > Permissions**',
  mappingAt: '**Enterprise apps > Permissions**',
  steps: [
    {
      text: {
        en: 'Continue to Microsoft with the button on this page, and sign in with an administrator account of your Entra tenant.',
        de: 'Gehen Sie mit der Schaltfläche auf dieser Seite weiter zu Microsoft und melden Sie sich mit einem Administratorkonto Ihres Entra-Mandanten an.',
        fr: 'Continuez vers Microsoft avec le bouton de cette page et connectez-vous avec un compte administrateur de votre locataire Entra.',
        es: 'Continúe a Microsoft con el botón de esta página e inicie sesión con una cuenta de administrador de su inquilino de Entra.',
        ja: 'このページのボタンからMicrosoftに進み、Entraテナントの管理者アカウントでサインインします。',
      },
    },
    {
      text: {
        en: 'Click **Accept**. The first sync then starts automatically.',
        de: 'Klicken Sie auf **Accept**. Der erste Abgleich beginnt danach von selbst.',
        fr: 'Cliquez sur **Accept**. La première synchronisation démarre ensuite d’elle-même.',
        es: 'Haga clic en **Accept**. La primera sincronización comienza después por sí sola.',
        ja: '**Accept**をクリックします。最初の同期が自動的に始まります。',
      },
    },
    {
      text: {
        en: 'The Microsoft Entra admin center shows the granted permissions under **Enterprise apps > Permissions**.',
        de: 'Was erlaubt wurde, zeigt das Microsoft Entra Admin Center unter **Enterprise apps > Permissions**.',
        fr: 'Les autorisations accordées figurent dans le centre d’administration Microsoft Entra, sous **Enterprise apps > Permissions**.',
        es: 'Los permisos concedidos se muestran en el centro de administración de Microsoft Entra, en **Enterprise apps > Permissions**.',
        ja: '許可した内容はMicrosoft Entra管理センターの**Enterprise apps > Permissions**で確認できます。',
      },
    },
  ],
};
