import { useState } from 'preact/hooks';
import { useAction } from '../api.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Card, Fact, Facts, PageHead } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { endEverySession, showSignIn, signOut, useSession } from '../session.tsx';

/** Who is signed in, and what they may do. */
export function AccountPage() {
  const session = useSession();
  const [asks, setAsks] = useState(false);
  const everywhere = useAction(endEverySession);
  const signOutEverywhere = async () => {
    if (await everywhere.run()) showSignIn();
  };
  const narrowed = [session.tenant, session.product, session.directory_id].filter((value) => value !== null);
  return (
    <>
      <PageHead title="Your session">
        <button type="button" class="button" onClick={() => setAsks(true)}>
          Sign out everywhere
        </button>
        <button type="button" class="button main" onClick={() => void signOut()}>
          Sign out
        </button>
      </PageHead>
      <Card title="Signed in">
        <Facts>
          <Fact name="Name">
            <span class="isolated">{session.actor.name}</span>
          </Fact>
          <Fact name={session.role ? 'Role' : 'Key'}>{session.role ?? session.actor.id}</Fact>
          <Fact name="Limited to">{narrowed.length === 0 ? 'All directories' : <span class="isolated">{narrowed.join(', ')}</span>}</Fact>
          <Fact name="Since">
            <Time at={session.created_at} />
          </Fact>
          <Fact name="Expires">
            <Time at={session.expires_at} />
          </Fact>
          <Fact name="Scopes">
            {session.scopes.map((scope) => (
              <code key={scope}>{scope}</code>
            ))}
          </Fact>
        </Facts>
      </Card>
      {asks && (
        <ConfirmDialog
          title="Sign out everywhere?"
          confirm="Sign out everywhere"
          isRunning={everywhere.isRunning}
          error={everywhere.error}
          onConfirm={() => void signOutEverywhere()}
          onCancel={() => setAsks(false)}
        >
          <p>This ends all your sessions in other browsers, and those of others with the same key.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
