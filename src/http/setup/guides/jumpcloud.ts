import { type Guide, endpoint, secret } from './guide.ts';

export const jumpCloud: Guide = {
  name: 'JumpCloud',
  page: 'jumpcloud.md',
  connectionAt: '**Identity Management**',
  mappingAt: '**User Groups**',
  steps: [
    {
      text: {
        en: 'In the JumpCloud Admin Portal, open **SSO Applications > Add New Application**. Choose **Custom Application**, then **Export users to this app (Identity Management)**, enter a name, and click **Save Application** and **Configure Application**.',
        de: 'Öffnen Sie im JumpCloud Admin Portal **SSO Applications > Add New Application**. Wählen Sie **Custom Application**, danach **Export users to this app (Identity Management)**, geben Sie einen Namen ein und klicken Sie auf **Save Application** und **Configure Application**.',
        fr: 'Dans le portail d’administration JumpCloud, ouvrez **SSO Applications > Add New Application**. Choisissez **Custom Application**, puis **Export users to this app (Identity Management)**, saisissez un nom et cliquez sur **Save Application** et **Configure Application**.',
        es: 'En el portal de administración de JumpCloud, abra **SSO Applications > Add New Application**. Elija **Custom Application** y después **Export users to this app (Identity Management)**, escriba un nombre y haga clic en **Save Application** y **Configure Application**.',
        ja: 'JumpCloudの管理ポータルで**SSO Applications > Add New Application**を開きます。**Custom Application**、続けて**Export users to this app (Identity Management)**を選択し、名前を入力して**Save Application**と**Configure Application**をクリックします。',
      },
    },
    {
      text: {
        en: 'On its **Identity Management** tab, enter these values. To send groups, check **Enable management of User Groups and Group Membership in this application**.',
        de: 'Tragen Sie auf der Registerkarte **Identity Management** diese Werte ein. Um Gruppen zu senden, aktivieren Sie **Enable management of User Groups and Group Membership in this application**.',
        fr: 'Dans l’onglet **Identity Management**, saisissez ces valeurs. Pour envoyer les groupes, cochez **Enable management of User Groups and Group Membership in this application**.',
        es: 'En la pestaña **Identity Management**, introduzca estos valores. Para enviar grupos, marque **Enable management of User Groups and Group Membership in this application**.',
        ja: '**Identity Management**タブで次の値を入力します。グループを送信するには、**Enable management of User Groups and Group Membership in this application**をオンにします。',
      },
      fields: [
        { label: 'API Type', value: { label: '**SCIM API**' } },
        { label: 'SCIM Version', value: { label: '**SCIM 2.0**' } },
        { label: 'Base URL', value: endpoint },
        { label: 'Token Key', value: secret },
        { label: 'Test User Email', value: { text: 'scim-test@example.com' } },
      ],
    },
    {
      text: {
        en: 'Click **Test Connection**, then **Activate**, then **Save**.',
        de: 'Klicken Sie auf **Test Connection**, dann auf **Activate** und dann auf **Save**.',
        fr: 'Cliquez sur **Test Connection**, puis sur **Activate**, puis sur **Save**.',
        es: 'Haga clic en **Test Connection**, después en **Activate** y después en **Save**.',
        ja: '**Test Connection**、**Activate**、**Save**の順にクリックします。',
      },
    },
    {
      text: {
        en: 'On the **User Groups** tab, select the groups whose users to send, and click **Save**.',
        de: 'Wählen Sie auf der Registerkarte **User Groups** die Gruppen aus, deren Benutzer gesendet werden sollen, und klicken Sie auf **Save**.',
        fr: 'Dans l’onglet **User Groups**, sélectionnez les groupes dont les utilisateurs doivent être envoyés, puis cliquez sur **Save**.',
        es: 'En la pestaña **User Groups**, seleccione los grupos cuyos usuarios se deben enviar y haga clic en **Save**.',
        ja: '**User Groups**タブで、ユーザーを送信するグループを選択し、**Save**をクリックします。',
      },
    },
  ],
};
