import { type Guide, endpoint, secret } from './guide.ts';

export const generic: Guide = {
  name: 'SCIM 2.0',
  page: 'generic.md',
  connectionAt: 'SCIM',
  mappingAt: 'SCIM',
  steps: [
    {
      text: {
        en: 'In the console of your provider, open the settings for provisioning by SCIM 2.0 and enter these values. Some providers use other names.',
        de: 'Öffnen Sie in der Konsole Ihres Anbieters die Einstellungen für die Bereitstellung per SCIM 2.0 und tragen Sie diese Werte ein. Manche Anbieter verwenden andere Namen.',
        fr: 'Dans la console de votre fournisseur, ouvrez les paramètres de provisionnement par SCIM 2.0 et saisissez ces valeurs. Certains fournisseurs emploient d’autres noms.',
        es: 'En la consola de su proveedor, abra la configuración de aprovisionamiento por SCIM 2.0 e introduzca estos valores. Algunos proveedores usan otros nombres.',
        ja: 'プロバイダーの管理画面でSCIM 2.0によるプロビジョニングの設定を開き、次の値を入力します。プロバイダーによって項目名が異なる場合があります。',
      },
      fields: [
        { label: 'Base URL', value: endpoint },
        { label: 'Bearer token', value: secret },
        { label: 'Attribute that identifies a user', value: { text: 'userName' } },
      ],
    },
    {
      text: {
        en: 'Test the connection, if your provider offers that, and switch provisioning on.',
        de: 'Testen Sie die Verbindung, falls Ihr Anbieter das ermöglicht, und schalten Sie die Bereitstellung ein.',
        fr: 'Testez la connexion si votre fournisseur le permet, puis activez le provisionnement.',
        es: 'Pruebe la conexión, si su proveedor lo permite, y active el aprovisionamiento.',
        ja: '接続テストの機能があれば実行し、プロビジョニングを有効にします。',
      },
    },
    {
      text: {
        en: 'Assign the people and groups to send.',
        de: 'Weisen Sie die Personen und Gruppen zu, die gesendet werden sollen.',
        fr: 'Attribuez les personnes et les groupes à envoyer.',
        es: 'Asigne las personas y los grupos que se deben enviar.',
        ja: '送信するユーザーとグループを割り当てます。',
      },
    },
  ],
};
