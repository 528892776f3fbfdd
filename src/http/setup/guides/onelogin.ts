import { type Guide, endpoint, secret } from './guide.ts';

/** Uses the attribute names of SCIM 2.0. */
const template = `{
  "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
  "userName": "{$parameters.scimusername}",
  "name": { "givenName": "{$user.firstname}", "familyName": "{$user.lastname}" },
  "displayName": "{$user.display_name}",
  "emails": [{ "value": "{$user.email}", "type": "work", "primary": true }]
}`;

export const oneLogin: Guide = {
  name: 'OneLogin',
  page: 'onelogin.md',
  connectionAt: '**Configuration**',
  mappingAt: '**Parameters**',
  steps: [
    {
      text: {
        en: 'In the OneLogin administration, open **Applications > Applications > Add App**. Search for `SCIM`, choose **SCIM Provisioner with SAML (SCIM v2 Core)**, enter a name, and click **Save**.',
        de: 'Öffnen Sie in der OneLogin-Verwaltung **Applications > Applications > Add App**. Suchen Sie nach `SCIM`, wählen Sie **SCIM Provisioner with SAML (SCIM v2 Core)**, geben Sie einen Namen ein und klicken Sie auf **Save**.',
        fr: 'Dans l’administration OneLogin, ouvrez **Applications > Applications > Add App**. Recherchez `SCIM`, choisissez **SCIM Provisioner with SAML (SCIM v2 Core)**, saisissez un nom et cliquez sur **Save**.',
        es: 'En la administración de OneLogin, abra **Applications > Applications > Add App**. Busque `SCIM`, elija **SCIM Provisioner with SAML (SCIM v2 Core)**, escriba un nombre y haga clic en **Save**.',
        ja: 'OneLoginの管理画面で**Applications > Applications > Add App**を開きます。`SCIM`を検索し、**SCIM Provisioner with SAML (SCIM v2 Core)**を選択し、名前を入力して**Save**をクリックします。',
      },
    },
    {
      text: {
        en: 'On the **Configuration** tab, enter these values, click **Enable** under **API Status**, and then **Save**.',
        de: 'Tragen Sie auf der Registerkarte **Configuration** diese Werte ein, klicken Sie unter **API Status** auf **Enable** und danach auf **Save**.',
        fr: 'Dans l’onglet **Configuration**, saisissez ces valeurs, cliquez sur **Enable** sous **API Status**, puis sur **Save**.',
        es: 'En la pestaña **Configuration**, introduzca estos valores, haga clic en **Enable** en **API Status** y después en **Save**.',
        ja: '**Configuration**タブで次の値を入力し、**API Status**の**Enable**をクリックしてから、**Save**をクリックします。',
      },
      fields: [
        { label: 'SCIM Base URL', value: endpoint },
        { label: 'SCIM Bearer Token', value: secret },
        { label: 'SCIM JSON Template', value: { text: template } },
      ],
    },
    {
      text: {
        en: "On the **Provisioning** tab, check **Enable provisioning**. For **When users are deleted in OneLogin, or the user's app access is removed** choose **Suspend** or **Delete**. Click **Save**.",
        de: "Aktivieren Sie auf der Registerkarte **Provisioning** die Option **Enable provisioning**. Wählen Sie für **When users are deleted in OneLogin, or the user's app access is removed** die Aktion **Suspend** oder **Delete**. Klicken Sie auf **Save**.",
        fr: "Dans l’onglet **Provisioning**, cochez **Enable provisioning**. Pour **When users are deleted in OneLogin, or the user's app access is removed**, choisissez **Suspend** ou **Delete**. Cliquez sur **Save**.",
        es: "En la pestaña **Provisioning**, marque **Enable provisioning**. Para **When users are deleted in OneLogin, or the user's app access is removed** elija **Suspend** o **Delete**. Haga clic en **Save**.",
        ja: "**Provisioning**タブで**Enable provisioning**をオンにします。**When users are deleted in OneLogin, or the user's app access is removed**では**Suspend**または**Delete**を選択し、**Save**をクリックします。",
      },
    },
    {
      text: {
        en: 'On the **Parameters** tab, set **scimusername** to **Email**. For groups, open the row **Groups** and check **Include in User Provisioning**.',
        de: 'Setzen Sie auf der Registerkarte **Parameters** den Wert von **scimusername** auf **Email**. Öffnen Sie für Gruppen die Zeile **Groups** und aktivieren Sie **Include in User Provisioning**.',
        fr: 'Dans l’onglet **Parameters**, réglez **scimusername** sur **Email**. Pour les groupes, ouvrez la ligne **Groups** et cochez **Include in User Provisioning**.',
        es: 'En la pestaña **Parameters**, ponga **scimusername** en **Email**. Para los grupos, abra la fila **Groups** y marque **Include in User Provisioning**.',
        ja: '**Parameters**タブで**scimusername**を**Email**に設定します。グループを送信する場合は**Groups**の行を開き、**Include in User Provisioning**をオンにします。',
      },
    },
    {
      text: {
        en: 'For groups, add a rule on the **Rules** tab with the action **Set Groups in** the application.',
        de: 'Fügen Sie für Gruppen auf der Registerkarte **Rules** eine Regel mit der Aktion **Set Groups in** für die Anwendung hinzu.',
        fr: 'Pour les groupes, ajoutez dans l’onglet **Rules** une règle avec l’action **Set Groups in** pour l’application.',
        es: 'Para los grupos, añada en la pestaña **Rules** una regla con la acción **Set Groups in** para la aplicación.',
        ja: 'グループを送信する場合は、**Rules**タブで、アプリケーションに対する**Set Groups in**アクションのルールを追加します。',
      },
    },
    {
      text: {
        en: 'On the **Access** tab, assign the application to roles, or to each user under **Applications**.',
        de: 'Weisen Sie die Anwendung auf der Registerkarte **Access** Rollen zu, oder einzelnen Benutzern unter **Applications**.',
        fr: 'Dans l’onglet **Access**, attribuez l’application à des rôles, ou à chaque utilisateur sous **Applications**.',
        es: 'En la pestaña **Access**, asigne la aplicación a roles, o a cada usuario en **Applications**.',
        ja: '**Access**タブでアプリケーションをロールに割り当てるか、**Applications**で各ユーザーに割り当てます。',
      },
    },
  ],
};
