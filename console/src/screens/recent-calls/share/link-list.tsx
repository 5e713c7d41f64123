import type { CallShare } from '@patchbay/contract/call-shares'
import type { UseQueryResult } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { QueryFailed } from '../../../feedback/query-failed.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { DateTime } from '../../../ui/time.tsx'
import { callSharesKey, type SharedCallParams } from './queries.ts'
import styles from './share.module.css'

const getLabel = ({ note, created_by }: CallShare): string => note ?? `Link by ${created_by ?? 'an API key'}`

const Revoke = ({ share, params, onClose }: { share: CallShare; params: SharedCallParams; onClose: () => void }) => {
  const revoke = useAction({
    quiet: true,
    run: () =>
      api('DELETE /patchbay/Accounts/:account_sid/CallShares/:call_share_sid', {
        params: { account_sid: params.account_sid, call_share_sid: share.call_share_sid },
      }),
    done: () => 'Link revoked',
    changes: [callSharesKey(params)],
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

interface LinkListProps {
  params: SharedCallParams
  query: UseQueryResult<CallShare[]>
  /** Why the user cannot revoke links. */
  readOnlyReason: string | undefined
}

/** Lists the links to a call that have not expired. */
export const LinkList = ({ params, query: { data, error, refetch }, readOnlyReason }: LinkListProps) => {
  const id = useId()
  const [revoked, setRevoked] = useState<CallShare>()
  if (data === undefined) return error && <QueryFailed error={error} onRetry={() => void refetch()} />
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={styles['title']}>
        Links to this call
      </h3>
      {data.length === 0 ? (
        <p className="note">No links. Expired and revoked links are in the audit trail only.</p>
      ) : (
        <ul aria-labelledby={id} className={styles['links']}>
          {data.map((share) => (
            <li key={share.call_share_sid} className={styles['link']}>
              <div>
                <p className={styles['label']}>
                  {getLabel(share)}
                  {!share.is_valid && <StateBadge tone="warn">Ended: its creator has no access</StateBadge>}
                </p>
                <p className={styles['facts']}>
                  {share.note !== null && share.created_by !== null && `Created by ${share.created_by}. `}
                  Expires <DateTime iso={share.expires_at} />.{' '}
                  {share.views === 1 ? '1 view' : `${share.views.toLocaleString('en-US')} views`}
                  {share.last_viewed_at !== null && (
                    <>
                      , last <DateTime iso={share.last_viewed_at} />
                    </>
                  )}
                  .{share.includes_recording === 1 && ' With recording.'}
                </p>
              </div>
              <Button size="small" disabledReason={readOnlyReason} onClick={() => setRevoked(share)}>
                Revoke
                <span className="visually-hidden"> {getLabel(share)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {revoked && <Revoke share={revoked} params={params} onClose={() => setRevoked(undefined)} />}
    </section>
  )
}
