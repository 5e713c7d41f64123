import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { destinationQuery } from './queries.ts'

interface AwaitsConfirmationProps {
  destination: AlertDestination
  viewOnly: string | undefined
}

/** Banner for an email address whose owner has not confirmed it, with a button that sends the confirmation again. */
export const AwaitsConfirmation = ({ destination, viewOnly }: AwaitsConfirmationProps) => {
  const { alert_destination_sid, target, confirmation_sent_at } = destination
  const resend = useAction({
    run: () =>
      api('POST /patchbay/alert-destinations/:alert_destination_sid/confirmation', {
        params: { alert_destination_sid },
      }),
    done: () => `A confirmation link was sent to ${target}`,
    changes: [['alert-destinations'], destinationQuery(alert_destination_sid).queryKey],
  })
  return (
    <Banner
      tone="warn"
      title="Waiting for confirmation"
      action={
        <Button size="small" busy={resend.isPending} disabledReason={viewOnly} onClick={() => resend.mutate()}>
          Send again
        </Button>
      }
    >
      {confirmation_sent_at ? (
        <>
          A confirmation link was sent to <bdi>{target}</bdi> on <DateTime iso={confirmation_sent_at} />. It is valid
          for three days. Alerts are sent after the address is confirmed.
        </>
      ) : (
        <>
          The confirmation email to <bdi>{target}</bdi> could not be sent yet. Alerts are sent after the address is
          confirmed.
        </>
      )}
    </Banner>
  )
}
