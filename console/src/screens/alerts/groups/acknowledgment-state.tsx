import type { AlertAcknowledgment } from '@patchbay/contract/alert-groups'
import { Name } from '../../../ui/format/reference.tsx'
import { RelativeTime } from '../../../ui/format/time.tsx'

/** Tells who acknowledged alerts, and when. */
export const AcknowledgedBy = ({ acknowledgment }: { acknowledgment: AlertAcknowledgment }) => {
  const { acknowledged_by, acknowledged_at } = acknowledgment
  return (
    <span>
      {acknowledged_by !== null && (
        <>
          <Name>{acknowledged_by}</Name>,{' '}
        </>
      )}
      <RelativeTime iso={acknowledged_at} />
    </span>
  )
}
