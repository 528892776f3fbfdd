import { Option, type Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';
import { address, apiKeyFileOption, apiKeyOption, directoryOption, jsonOption, productOption, tenantOption, urlOption } from './options.ts';

export function fillDoctor(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      options: [
        address('--webhook-url <address>', 'look whether webhooks could reach this address'),
        directoryOption("look at this directory's webhook"),
        tenantOption("look at this customer's webhooks, with --product"),
        productOption("look at this application's webhooks; of one customer with --tenant"),
        new Option('--send-test', 'send a signed test event to each webhook, too'),
        jsonOption(),
        urlOption(),
        apiKeyOption(),
        apiKeyFileOption(),
      ],
      examples: [
        'rollcall doctor',
        'rollcall doctor --webhook-url https://app.example/hooks',
        'rollcall doctor --tenant acme --product crm --send-test',
      ],
      run: async (shell) => (await import('./doctor/examine.ts')).examine(command.opts(), shell),
    },
    choose,
  );
}
