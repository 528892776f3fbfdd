import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOperated, type Operated } from '../support/operate.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

let service: TestService;
let operator: Receiver;
beforeAll(async () => {
  operator = await startReceiver();
  // Three failures follow each other soon; the fourth comes much later.
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '0.05,0.05,0.05,3600', WEBHOOK_URL: operator.url });
});
afterAll(async () => {
  await service.stop();
  await operator.close();
});
const receiver = useReceiver();
const createDirectory = () => createOperated(service, receiver);

const receivedOf = ({ directory }: Operated) =>
  operator.received.filter(({ event }) => event.data.id === directory.id && event.event !== 'dsync.created').map(({ event }) => event);
const untilTold = (operated: Operated, count: number) =>
  until(() => {
    const told = receivedOf(operated);
    return told.length >= count && told;
  });
const typesOf = (events: { event: string }[]) => events.map(({ event }) => event);

it('tells the operator once that a delivery fails, and once that it has recovered', async () => {
  const operated = await createDirectory();
  receiver.respond = (response) => void response.writeHead(503).end();
  await operated.push('ada', 'ben');
  const [failing] = await untilTold(operated, 1);
  expect(failing).toMatchObject({
    event: 'dsync.delivery.failing',
    tenant: 'acme',
    product: 'app',
    data: { status: 503, reason: expect.stringContaining('503'), failing_since: expect.any(String), consecutive_failures: 3 },
  });
  await until(async () => (await operated.state()).consecutive_failures === 4);
  receiver.respond = (response) => void response.end();
  const { open } = await operated.state();
  await operated.post(`/deliveries/${open.id}/retry`);
  await operated.untilDone();
  const told = await untilTold(operated, 2);
  expect(typesOf(told)).toEqual(['dsync.delivery.failing', 'dsync.delivery.recovered']);
  expect(told[1].data).toMatchObject({ alerted_at: expect.any(String) });

  // The next episode is told again, and a delivery that works is not.
  await operated.push('cyd');
  await operated.untilDone();
  receiver.respond = (response) => void response.writeHead(500).end();
  await operated.push('dan');
  expect(typesOf(await untilTold(operated, 3))).toEqual(['dsync.delivery.failing', 'dsync.delivery.recovered', 'dsync.delivery.failing']);
});

it('tells nothing of one or two failures', async () => {
  const operated = await createDirectory();
  receiver.respond = (response, _request, count) => void response.writeHead(count <= 2 ? 503 : 200).end();
  await operated.push('ada');
  await operated.untilDone();
  expect(receiver.received).toHaveLength(3);
  // Events of the operator are delivered in order: one of a later act shows that there is none before it.
  await operated.patch({ deactivated: true });
  expect(typesOf(await untilTold(operated, 1))).toEqual(['dsync.deactivated']);
});

it('tells that a delivery is disabled, and of the first webhook that is acknowledged after a resume', async () => {
  const operated = await createDirectory();
  receiver.respond = (response) => void response.writeHead(410).end();
  await operated.push('ada');
  await operated.untilStatus('disabled');
  receiver.respond = (response) => void response.end();
  await operated.post('/resume', { from: 'backlog' });
  await operated.untilDone();
  const told = await untilTold(operated, 4);
  expect(typesOf(told)).toEqual(['dsync.delivery.disabled', 'dsync.webhook_disabled', 'dsync.webhook_enabled', 'dsync.delivery.recovered']);
  expect(told[0].data.reason).toContain('410');
});
