import { type Guide, endpoint, secret } from './guide.ts';

export const okta: Guide = {
  name: 'Okta',
  page: 'okta.md',
  connectionAt: '**Provisioning > Integration**',
  mappingAt: '**Provisioning > To App**',
  steps: [
    {
      text: {
        en: 'In the Okta Admin Console, open **Applications > Applications > Create App Integration** and choose **SAML 2.0** or **SWA**. An existing application that signs people in this way works too.',
        de: 'Öffnen Sie in der Okta-Admin-Konsole **Applications > Applications > Create App Integration** und wählen Sie **SAML 2.0** oder **SWA**. Eine vorhandene Anwendung mit dieser Anmeldung eignet sich auch.',
        fr: 'Dans la console d’administration Okta, ouvrez **Applications > Applications > Create App Integration** et choisissez **SAML 2.0** ou **SWA**. Une application existante avec ce mode de connexion convient aussi.',
        es: 'En la consola de administración de Okta, abra **Applications > Applications > Create App Integration** y elija **SAML 2.0** o **SWA**. También sirve una aplicación existente con este inicio de sesión.',
        ja: 'Oktaの管理コンソールで**Applications > Applications > Create App Integration**を開き、**SAML 2.0**または**SWA**を選択します。この方式でサインインする既存のアプリケーションも使えます。',
      },
    },
    {
      text: {
        en: 'On the **General** tab, beside **App Settings**, click **Edit**, set **Provisioning** to **SCIM**, and click **Save**.',
        de: 'Klicken Sie auf der Registerkarte **General** neben **App Settings** auf **Edit**, stellen Sie **Provisioning** auf **SCIM** und klicken Sie auf **Save**.',
        fr: 'Dans l’onglet **General**, à côté de **App Settings**, cliquez sur **Edit**, réglez **Provisioning** sur **SCIM**, puis cliquez sur **Save**.',
        es: 'En la pestaña **General**, junto a **App Settings**, haga clic en **Edit**, ponga **Provisioning** en **SCIM** y haga clic en **Save**.',
        ja: '**General**タブの**App Settings**の横にある**Edit**をクリックし、**Provisioning**を**SCIM**に設定して**Save**をクリックします。',
      },
    },
    {
      text: {
        en: 'On the **Provisioning** tab, under **Integration**, click **Edit** and enter:',
        de: 'Klicken Sie auf der Registerkarte **Provisioning** unter **Integration** auf **Edit** und tragen Sie ein:',
        fr: 'Dans l’onglet **Provisioning**, sous **Integration**, cliquez sur **Edit** et saisissez :',
        es: 'En la pestaña **Provisioning**, en **Integration**, haga clic en **Edit** e introduzca:',
        ja: '**Provisioning**タブの**Integration**で**Edit**をクリックし、次のように入力します。',
      },
      fields: [
        { label: 'SCIM connector base URL', value: endpoint },
        { label: 'Unique identifier field for users', value: { text: 'userName' } },
        { label: 'Supported provisioning actions', value: { label: '**Push New Users**, **Push Profile Updates**, **Push Groups**' } },
        { label: 'Authentication Mode', value: { label: '**HTTP Header**' } },
        { label: 'Authorization', value: secret },
      ],
    },
    {
      text: {
        en: 'Click **Test Connector Configuration**, then **Save**.',
        de: 'Klicken Sie auf **Test Connector Configuration** und danach auf **Save**.',
        fr: 'Cliquez sur **Test Connector Configuration**, puis sur **Save**.',
        es: 'Haga clic en **Test Connector Configuration** y después en **Save**.',
        ja: '**Test Connector Configuration**をクリックし、続けて**Save**をクリックします。',
      },
    },
    {
      text: {
        en: 'Under **To App**, click **Edit** and enable **Create Users**, **Update User Attributes** and **Deactivate Users**. Leave **Sync Password** off. Click **Save**.',
        de: 'Klicken Sie unter **To App** auf **Edit** und aktivieren Sie **Create Users**, **Update User Attributes** und **Deactivate Users**. Lassen Sie **Sync Password** ausgeschaltet. Klicken Sie auf **Save**.',
        fr: 'Sous **To App**, cliquez sur **Edit** et activez **Create Users**, **Update User Attributes** et **Deactivate Users**. Laissez **Sync Password** désactivé. Cliquez sur **Save**.',
        es: 'En **To App**, haga clic en **Edit** y active **Create Users**, **Update User Attributes** y **Deactivate Users**. Deje **Sync Password** desactivado. Haga clic en **Save**.',
        ja: '**To App**で**Edit**をクリックし、**Create Users**、**Update User Attributes**、**Deactivate Users**を有効にします。**Sync Password**はオフのままにして、**Save**をクリックします。',
      },
    },
    {
      text: {
        en: 'On the **Assignments** tab, assign the people or groups who use the application.',
        de: 'Weisen Sie auf der Registerkarte **Assignments** die Personen oder Gruppen zu, die die Anwendung nutzen.',
        fr: 'Dans l’onglet **Assignments**, attribuez l’application aux personnes ou aux groupes qui l’utilisent.',
        es: 'En la pestaña **Assignments**, asigne las personas o los grupos que usan la aplicación.',
        ja: '**Assignments**タブで、アプリケーションを利用するユーザーまたはグループを割り当てます。',
      },
    },
    {
      text: {
        en: 'On the **Push Groups** tab, select the groups that the application needs, with their members.',
        de: 'Wählen Sie auf der Registerkarte **Push Groups** die Gruppen aus, die die Anwendung mit ihren Mitgliedern braucht.',
        fr: 'Dans l’onglet **Push Groups**, sélectionnez les groupes dont l’application a besoin, avec leurs membres.',
        es: 'En la pestaña **Push Groups**, seleccione los grupos que necesita la aplicación, con sus miembros.',
        ja: '**Push Groups**タブで、アプリケーションに必要なグループをメンバーとともに選択します。',
      },
    },
  ],
};
