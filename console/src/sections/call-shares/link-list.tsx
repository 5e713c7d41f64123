import type { CallShare } from '@patchbay/contract/call-shares'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import styles from './link-list.module.css'
import { describeReport } from './masking-labels.ts'
import { callSharesKey } from './queries.ts'

const getLabel = ({ note, created_by }: CallShare): string => note ?? `Link by ${created_by ?? 'an API key'}`

interface RevokeProps {
  account_sid: string
  share: CallShare
  onClose: () => void
}

const Revoke = ({ account_sid, share, onClose }: RevokeProps) => {
  const { call_share_sid } = share
  const revoke = useAction({
    quiet: true,
    run: () =>
      api('DELETE /patchbay/Accounts/:account_sid/CallShares/:call_share_sid', {
        params: { account_sid, call_share_sid },
      }),
    done: () => 'Link revoked',
    changes: [callSharesKey(account_sid)],
    after: onClose,
  })
  return (
    <ConfirmAction action={revoke} title="Revoke this link?" danger confirmLabel="Revoke link" onCancel={onClose}>
      <p>
        The link <strong>{getLabel(share)}</strong> stops working immediately, for everyone who has it.
      </p>
    </ConfirmAction>
  )
}

const Facts = ({ share }: { share: CallShare }) => {
  const { note, created_by, expires_at, views, last_viewed_at, includes_recording, report } = share
  return (
    <p className={styles['facts']}>
      {note !== null && created_by !== null && `Created by ${created_by}. `}
      Expires <DateTime iso={expires_at} />. {views === 1 ? '1 view' : `${views.toLocaleString('en-US')} views`}
      {last_viewed_at !== null && (
        <>
          , last <DateTime iso={last_viewed_at} />
        </>
      )}
      .{includes_recording === 1 && ' With recording.'}
      {report !== null && ` Report: ${describeReport(report)}.`}
    </p>
  )
}

interface LinkListProps {
  /** Accessible name of the list. */
  label: string
  account_sid: string
  links: readonly CallShare[]
  /** Renders a link to the call. */
  renderCall?: (share: CallShare) => ReactNode
}

/** Lists links to shared calls, with buttons to revoke them. */
export const LinkList = ({ label, account_sid, links, renderCall }: LinkListProps) => {
  const [revoked, setRevoked] = useState<CallShare>()
  return (
    <>
      <ul aria-label={label} className={styles['links']}>
        {links.map((share) => (
          <li key={share.call_share_sid} className={styles['link']}>
            <div>
              <p className={styles['label']}>
                {getLabel(share)}
                {!share.is_valid && <StateBadge tone="warn">Ended: its creator has no access</StateBadge>}
              </p>
              <Facts share={share} />
              {renderCall?.(share)}
            </div>
            <Button
              size="small"
              disabledReason={viewOnlyReason(requiredSession().actor)}
              onClick={() => setRevoked(share)}
            >
              Revoke
              <span className="visually-hidden"> {getLabel(share)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {revoked && <Revoke account_sid={account_sid} share={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  )
}
