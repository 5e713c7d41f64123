import type { Account } from '@patchbay/contract/accounts'
import { ScreenLink } from '../../page/links.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './blocked-deletion.module.css'
import type { BlockingKind } from './blockers.ts'
import { editAccount } from './screens.ts'

interface BlockedDeletionProps {
  account: Account
  kinds: readonly BlockingKind[]
  onClose: () => void
}

const More = ({ count }: { count: number }) =>
  count > 0 && <li className={styles['more']}>and {count.toLocaleString('en')} more</li>

/** Says what still uses an account, so that it cannot be deleted. */
export const BlockedDeletion = ({ account, kinds, onClose }: BlockedDeletionProps) => (
  <Dialog
    title="This account is in use"
    onClose={onClose}
    footer={
      <Button data-autofocus onClick={onClose}>
        Close
      </Button>
    }
  >
    <p>
      <strong>
        <bdi>{account.name}</bdi>
      </strong>{' '}
      cannot be deleted while these belong to it. Move or delete them first.
    </p>
    {kinds.map(({ kind, title, first, more }) => (
      <section key={kind}>
        <h3 className={styles['title']}>{title}</h3>
        <ul className={styles['list']} aria-label={title}>
          {first.map(({ sid, name }) => (
            <li key={sid}>{kind === 'api_keys' ? <code>{name}</code> : <bdi>{name}</bdi>}</li>
          ))}
          <More count={more} />
        </ul>
        {kind === 'api_keys' && (
          <ScreenLink to={editAccount} params={{ account_sid: account.account_sid }} onClick={onClose}>
            Show the API keys of this account
          </ScreenLink>
        )}
      </section>
    ))}
  </Dialog>
)
