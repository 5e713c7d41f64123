import type { Alert } from '@patchbay/contract/alerts'
import { can } from '@patchbay/contract/api/access'
import { useQuery } from '@tanstack/react-query'
import { QueryFailed } from '../../../feedback/query-failed.tsx'
import { requiredSession } from '../../../session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { AcknowledgedBy } from './acknowledgment-state.tsx'
import { acknowledgmentQuery, useAcknowledge, useWithdraw } from './group-queries.ts'
import styles from './groups.module.css'
import { RepairLink } from './repair-link.tsx'

/** The acknowledgment of a single alert, and a link to the screen that repairs its cause. */
export const AlertAcknowledgmentPart = ({ alert }: { alert: Alert }) => {
  const query = useQuery(acknowledgmentQuery(alert))
  const acknowledge = useAcknowledge()
  const withdraw = useWithdraw()
  const isWritable = can(requiredSession().actor, 'write', alert)
  const acknowledgment = query.data
  return (
    <div className={styles['state']}>
      <RepairLink alert={alert} />
      {query.error && <QueryFailed error={query.error} onRetry={() => void query.refetch()} />}
      {acknowledgment && (
        <p>
          Acknowledged by <AcknowledgedBy acknowledgment={acknowledgment} />
        </p>
      )}
      {acknowledgment && isWritable && (
        <Button size="small" busy={withdraw.isPending} onClick={() => withdraw.mutate(acknowledgment)}>
          Withdraw acknowledgment
        </Button>
      )}
      {acknowledgment === null && isWritable && (
        <Button size="small" busy={acknowledge.isPending} onClick={() => acknowledge.mutate({ alert })}>
          Acknowledge alert
        </Button>
      )}
    </div>
  )
}
