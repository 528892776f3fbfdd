import type { Guide } from './guide.ts';

export const google: Guide = {
  name: 'Google Workspace',
  page: 'google.md',
  connectionAt: '**Security > Access and data control > API controls > Manage app access**',
  mappingAt: '**Security > Access and data control > API controls > Manage app access**',
  steps: [
    {
      text: {
        en: 'Continue to Google with the button on this page, and sign in with an administrator account of your Google Workspace.',
        de: 'Gehen Sie mit der Schaltfläche auf dieser Seite weiter zu Google und melden Sie sich mit einem Administratorkonto Ihres Google Workspace an.',
        fr: 'Continuez vers Google avec le bouton de cette page et connectez-vous avec un compte administrateur de votre Google Workspace.',
        es: 'Continúe a Google con el botón de esta página e inicie sesión con una cuenta de administrador de su Google Workspace.',
        ja: 'このページのボタンからGoogleに進み、Google Workspaceの管理者アカウントでログインします。',
      },
    },
    {
      text: {
        en: 'Click **Allow**. The first sync then starts automatically.',
        de: 'Klicken Sie auf **Allow**. Der erste Abgleich beginnt danach von selbst.',
        fr: 'Cliquez sur **Allow**. La première synchronisation démarre ensuite d’elle-même.',
        es: 'Haga clic en **Allow**. La primera sincronización comienza después por sí sola.',
        ja: '**Allow**をクリックします。最初の同期が自動的に始まります。',
      },
    },
    {
      text: {
        en: 'If your organization blocks unknown applications, first allow this one in the Google Admin console under **Security > Access and data control > API controls > Manage app access**.',
        de: 'Wenn Ihre Organisation unbekannte Anwendungen sperrt, erlauben Sie diese zuerst in der Google-Admin-Konsole unter **Security > Access and data control > API controls > Manage app access**.',
        fr: 'Si votre organisation bloque les applications inconnues, autorisez d’abord celle-ci dans la console d’administration Google, sous **Security > Access and data control > API controls > Manage app access**.',
        es: 'Si su organización bloquea las aplicaciones desconocidas, permita primero esta en la consola de administración de Google, en **Security > Access and data control > API controls > Manage app access**.',
        ja: '組織が不明なアプリケーションをブロックしている場合は、先にGoogle管理コンソールの**Security > Access and data control > API controls > Manage app access**で許可してください。',
      },
    },
  ],
};
