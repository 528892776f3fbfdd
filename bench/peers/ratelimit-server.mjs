// koa-ratelimit in memory, as in its README: one limit per project, asked over HTTP.
import Koa from 'koa';
import limit from 'koa-ratelimit';

const app = new Koa();
app.use((ctx, next) => {
  if (ctx.path !== '/health/ready') return next();
  ctx.body = {};
});
app.use(limit({ driver: 'memory', db: new Map(), duration: 60_000, max: 1_000_000_000, id: (ctx) => ctx.get('x-rollcall-project') }));
app.use((ctx) => {
  ctx.body = { data: { allowed: true, lease: null }, error: null };
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1');
server.keepAliveTimeout = 65_000;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
