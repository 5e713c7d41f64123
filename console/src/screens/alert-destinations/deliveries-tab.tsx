import type { AlertDelivery, AlertDestination } from '@patchbay/contract/alert-destinations'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { RegenerateSecret } from '../../fields/regenerate-secret.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { StateBadge, type StateTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { SecretField } from '../../ui/fields/secret-field.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { deliveriesQuery, signingSecretQuery } from './queries.ts'

const initialCount = 25
/** The largest page that the server returns. */
const maxCount = 500

const states: Readonly<Record<AlertDelivery['state'], readonly [StateTone, string]>> = {
  waiting: ['neutral', 'Waiting'],
  delivered: ['good', 'Delivered'],
  given_up: ['bad', 'Failed'],
}

const formatOutcome = ({ error, status, together, attempts }: AlertDelivery): string =>
  [
    ...(error ? [error] : status ? [`Response ${status}`] : []),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(together > 1 ? [`${together} alerts in one message`] : []),
  ].join(', ')

const columns: readonly TableColumn<AlertDelivery>[] = [
  {
    id: 'queued',
    header: 'Time',
    share: 12,
    nowrap: true,
    card: 'end',
    cell: ({ queued_at }) => <DateTime iso={queued_at} />,
  },
  {
    id: 'alert',
    header: 'Alert',
    share: 24,
    card: 'name',
    cell: ({ alert_type, message }) => (
      <Name>{message === null ? formatAlertType(alert_type) : `${formatAlertType(alert_type)}: ${message}`}</Name>
    ),
  },
  {
    id: 'state',
    header: 'State',
    share: 9,
    nowrap: true,
    card: 'state',
    cell: ({ state }) => <StateBadge tone={states[state][0]}>{states[state][1]}</StateBadge>,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    share: 20,
    card: 'detail',
    cell: (delivery) => <Name>{formatOutcome(delivery)}</Name>,
  },
]

const rowKey = ({ delivery_sid }: AlertDelivery) => delivery_sid

/**
 * Shows the secret that signs the requests of a webhook. A destination of an account signs with the webhook secret of
 * the account, which the account form regenerates.
 */
export const SigningTab = ({
  destination: { alert_destination_sid, account_sid },
}: {
  destination: AlertDestination
}) => {
  const query = signingSecretQuery(alert_destination_sid)
  const secret = useQuery(query)
  if (secret.data === undefined) return <FormLoading queries={[secret]} sections={1} />
  return (
    <FormSection title="Signing secret" description="Lets the receiver verify that a request comes from Patchbay.">
      <SecretField
        label="Signing secret"
        value={secret.data.webhook_secret}
        hint={
          account_sid === null
            ? 'Signs each request in the same way as the platform signs webhooks.'
            : 'Requests are signed with the account’s webhook secret. Change it in the account’s details.'
        }
        actions={
          account_sid === null && (
            <RegenerateSecret
              title="Generate a new signing secret?"
              warning="The current secret stops working immediately. Update it at the receiver."
              run={() =>
                api('GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret', {
                  params: { alert_destination_sid },
                  query: { regenerate: 'true' },
                })
              }
              after={(newSecret) => queryClient.setQueryData(query.queryKey, newSecret)}
            />
          )
        }
      />
    </FormSection>
  )
}

/** Lists sent and queued alerts of a destination. */
export const DeliveriesTab = ({ alert_destination_sid }: { alert_destination_sid: string }) => {
  const [count, setCount] = useState(initialCount)
  const deliveries = useQuery(deliveriesQuery(alert_destination_sid, count))
  if (deliveries.data === undefined) return <FormLoading queries={[deliveries]} sections={1} />
  const { data, total } = deliveries.data
  return (
    <FormSection
      title="Deliveries"
      description="The last 1,000 alerts that were sent or are waiting."
      action={
        <Button busy={deliveries.isFetching} onClick={() => void deliveries.refetch()}>
          Refresh
        </Button>
      }
    >
      <RefetchErrorBanner query={deliveries} onRetry={() => void deliveries.refetch()} />
      <DataTable
        caption="Deliveries"
        columns={columns}
        rows={data}
        rowKey={rowKey}
        state={deliveries.isFetching ? 'refreshing' : 'ready'}
        empty={<EmptyState title="No alerts sent yet." hint="Alerts appear here when they occur." />}
      />
      {total > data.length && data.length < maxCount && (
        <div>
          <Button busy={deliveries.isFetching} onClick={() => setCount(Math.min(maxCount, count * 2))}>
            Show more
          </Button>
        </div>
      )}
    </FormSection>
  )
}
