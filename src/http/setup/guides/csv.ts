import type { Guide } from './guide.ts';

/** An HR system, or anything else that writes files. */
export const csv: Guide = {
  name: 'CSV files',
  page: 'csv.md',
  connectionAt: '**Export**',
  mappingAt: '**Export**',
  steps: [
    {
      text: {
        en: 'Ask the person who sent you this page for the upload address and an upload token.',
        de: 'Bitten Sie die Person, die Ihnen diese Seite geschickt hat, um die Upload-Adresse und ein Upload-Token.',
        fr: 'Demandez à la personne qui vous a envoyé cette page l’adresse d’envoi et un jeton d’envoi.',
        es: 'Pida a la persona que le envió esta página la dirección de carga y un token de carga.',
        ja: 'このページを送った担当者に、アップロード先のアドレスとアップロードトークンを依頼します。',
      },
    },
    {
      text: {
        en: 'Let your HR system export the files `users.csv`, `groups.csv` and `user_groups.csv`.',
        de: 'Lassen Sie Ihr HR-System die Dateien `users.csv`, `groups.csv` und `user_groups.csv` exportieren.',
        fr: 'Configurez votre système RH pour exporter les fichiers `users.csv`, `groups.csv` et `user_groups.csv`.',
        es: 'Configure su sistema de RR. HH. para exportar los archivos `users.csv`, `groups.csv` y `user_groups.csv`.',
        ja: '人事システムから`users.csv`、`groups.csv`、`user_groups.csv`の各ファイルをエクスポートします。',
      },
    },
    {
      text: {
        en: 'Let a job send all files together to the upload address after each export.',
        de: 'Lassen Sie einen Job nach jedem Export alle Dateien zusammen an die Upload-Adresse senden.',
        fr: 'Faites envoyer tous les fichiers ensemble à l’adresse d’envoi après chaque exportation.',
        es: 'Haga que una tarea envíe todos los archivos juntos a la dirección de carga después de cada exportación.',
        ja: 'エクスポートのたびに、すべてのファイルをまとめてアップロード先へ送信するジョブを設定します。',
      },
    },
  ],
};
