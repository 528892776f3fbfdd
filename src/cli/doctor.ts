import { Option, type Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { connectionOptions, directoryOption, productOption, tenantOption, urlOption } from './options.ts';

export function registerDoctor(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      options: [
        urlOption('--webhook-url <url>', 'check whether webhooks can reach this URL'),
        directoryOption('check the webhook of this directory'),
        tenantOption('check the webhooks of this tenant; requires --product'),
        productOption('check the webhooks of this product'),
        new Option('--send-test', 'also send a signed test event to each webhook'),
        ...connectionOptions(),
      ],
      examples: [
        'rollcall doctor',
        'rollcall doctor --webhook-url https://app.example/hooks',
        'rollcall doctor --tenant acme --product crm --send-test',
      ],
      run: async (shell) => (await import('./doctor/run-checks.ts')).runChecks(command.opts(), shell),
    },
    select,
  );
}
