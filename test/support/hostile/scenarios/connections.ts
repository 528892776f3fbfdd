import { fillUsers } from '../fill.ts';
import { holdForMs } from '../attack.ts';
import { newUser, times, type Scenario } from '../scenario.ts';

/** Attacks on the connection rather than on what it carries. */
export const connectionScenarios: Scenario[] = [
  {
    name: 'sends headers one byte at a time on three hundred connections',
    async run(attack) {
      const sockets = times(300, () => attack.connect());
      for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      for (let second = 0; second < 3; second += 1) {
        await holdForMs(1_000);
        for (const socket of sockets) if (!socket.destroyed) socket.write('x');
      }
    },
  },
  {
    name: 'sends a thousand requests on each of twenty connections without reading the responses',
    async run(attack) {
      const { directory } = attack;
      const one = `GET /api/scim/v2.0/${directory.id}/Users?count=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${directory.secret}\r\n\r\n`;
      await fillUsers(attack, 500, { title: 't'.repeat(2_000) });
      for (const socket of times(20, () => attack.connect())) {
        socket.pause();
        socket.write(one.repeat(1_000));
      }
      await holdForMs(5_000);
    },
  },
  {
    name: 'writes two thousand small requests at once on each of three hundred connections',
    async run(attack) {
      for (const socket of times(300, () => attack.connect())) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000));
      await holdForMs(2_000);
    },
  },
  {
    name: 'asks for the OpenAPI document with a body, again and again on one connection, and reads nothing',
    async run(attack) {
      const socket = attack.connect();
      socket.pause();
      for (let count = 0; count < 150 && !socket.destroyed; count += 1) {
        socket.write(`GET /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n${'y'.repeat(30_000)}`);
        await holdForMs(20);
      }
    },
  },
  {
    name: 'asks for the reference page on two hundred connections, and reads nothing',
    async run(attack) {
      for (const socket of times(200, () => attack.connect())) {
        socket.pause();
        socket.write('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
      }
      await holdForMs(4_000);
    },
  },
  {
    name: 'guesses secrets from fifty connections',
    run: (attack) =>
      attack.repeat(2_000, 50, (index) =>
        attack.send(index % 2 ? 'GET' : 'POST', '/Users', index % 2 ? undefined : newUser('guess'), {
          headers: { authorization: `Bearer guess-${index}` },
        }),
      ),
  },
  {
    name: 'begins four hundred requests and leaves at once',
    run: (attack) =>
      attack.repeat(400, 80, (index) =>
        attack.send(index % 2 ? 'GET' : 'POST', '/Users?count=100', index % 2 ? undefined : newUser(`gone-${index}`), { leaveAfterMs: 5 }),
      ),
  },
  {
    name: 'creates the same user from three hundred connections',
    run: (attack) => attack.repeat(900, 300, (index) => attack.send('POST', '/Users', newUser(`same-${index % 3}`))),
  },
];
