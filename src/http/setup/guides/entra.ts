import { type Guide, endpoint, secret } from './guide.ts';

export const entra: Guide = {
  name: 'Microsoft Entra ID',
  page: 'entra.md',
  connectionAt: '**Provisioning**',
  mappingAt: '**Attribute mapping**',
  steps: [
    {
      text: {
        en: "In the Microsoft Entra admin center, open **Entra ID > Enterprise apps > New application > Create your own application**. Enter a name, choose **Integrate any other application you don't find in the gallery (Non-gallery)**, and click **Create**.",
        de: "Öffnen Sie im Microsoft Entra Admin Center **Entra ID > Enterprise apps > New application > Create your own application**. Geben Sie einen Namen ein, wählen Sie **Integrate any other application you don't find in the gallery (Non-gallery)** und klicken Sie auf **Create**.",
        fr: "Dans le centre d’administration Microsoft Entra, ouvrez **Entra ID > Enterprise apps > New application > Create your own application**. Saisissez un nom, choisissez **Integrate any other application you don't find in the gallery (Non-gallery)** et cliquez sur **Create**.",
        es: "En el centro de administración de Microsoft Entra, abra **Entra ID > Enterprise apps > New application > Create your own application**. Escriba un nombre, elija **Integrate any other application you don't find in the gallery (Non-gallery)** y haga clic en **Create**.",
        ja: "Microsoft Entra管理センターで**Entra ID > Enterprise apps > New application > Create your own application**を開きます。名前を入力し、**Integrate any other application you don't find in the gallery (Non-gallery)**を選択して**Create**をクリックします。",
      },
    },
    {
      text: {
        en: 'Open **Provisioning**, choose **New configuration**, and enter:',
        de: 'Öffnen Sie **Provisioning**, wählen Sie **New configuration** und tragen Sie ein:',
        fr: 'Ouvrez **Provisioning**, choisissez **New configuration** et saisissez :',
        es: 'Abra **Provisioning**, elija **New configuration** e introduzca:',
        ja: '**Provisioning**を開き、**New configuration**を選択して、次のように入力します。',
      },
      fields: [
        { label: 'Tenant URL', value: endpoint },
        { label: 'Secret token', value: secret },
      ],
    },
    {
      text: {
        en: 'Click **Test Connection**, then **Create**.',
        de: 'Klicken Sie auf **Test Connection** und danach auf **Create**.',
        fr: 'Cliquez sur **Test Connection**, puis sur **Create**.',
        es: 'Haga clic en **Test Connection** y después en **Create**.',
        ja: '**Test Connection**をクリックし、続けて**Create**をクリックします。',
      },
    },
    {
      text: {
        en: 'Under **Users and groups**, assign the users and groups to send.',
        de: 'Weisen Sie unter **Users and groups** die Personen und Gruppen zu, die gesendet werden sollen.',
        fr: 'Sous **Users and groups**, attribuez les utilisateurs et les groupes à envoyer.',
        es: 'En **Users and groups**, asigne los usuarios y grupos que se deben enviar.',
        ja: '**Users and groups**で、送信するユーザーとグループを割り当てます。',
      },
    },
    {
      text: {
        en: 'Under **Attribute mapping**, open the mapping of users and map `objectId` to `externalId`, instead of `mailNickname`, which may change.',
        de: 'Öffnen Sie unter **Attribute mapping** die Zuordnung der Benutzer und ordnen Sie `objectId` der `externalId` zu, statt `mailNickname`, das sich ändern kann.',
        fr: 'Sous **Attribute mapping**, ouvrez le mappage des utilisateurs et associez `objectId` à `externalId`, au lieu de `mailNickname`, qui peut changer.',
        es: 'En **Attribute mapping**, abra la asignación de usuarios y asigne `objectId` a `externalId`, en lugar de `mailNickname`, que puede cambiar.',
        ja: '**Attribute mapping**でユーザーのマッピングを開き、変わる可能性のある`mailNickname`の代わりに`objectId`を`externalId`に割り当てます。',
      },
    },
    {
      text: {
        en: 'Under **Provision on demand**, select one person and check the result of each step.',
        de: 'Wählen Sie unter **Provision on demand** eine Person aus und prüfen Sie das Ergebnis jedes Schritts.',
        fr: 'Sous **Provision on demand**, sélectionnez une personne et vérifiez le résultat de chaque étape.',
        es: 'En **Provision on demand**, seleccione una persona y compruebe el resultado de cada paso.',
        ja: '**Provision on demand**で1人を選択し、各手順の結果を確認します。',
      },
    },
    {
      text: {
        en: 'On **Overview**, click **Start provisioning**. Entra sends changes in cycles of about 40 minutes.',
        de: 'Klicken Sie unter **Overview** auf **Start provisioning**. Entra sendet Änderungen etwa alle 40 Minuten.',
        fr: 'Dans **Overview**, cliquez sur **Start provisioning**. Entra envoie les modifications par cycles d’environ 40 minutes.',
        es: 'En **Overview**, haga clic en **Start provisioning**. Entra envía los cambios en ciclos de unos 40 minutos.',
        ja: '**Overview**で**Start provisioning**をクリックします。Entraは約40分ごとに変更を送信します。',
      },
    },
  ],
};
