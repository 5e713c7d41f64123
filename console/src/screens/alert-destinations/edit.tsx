import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { DateTime } from '../../ui/time.tsx'
import { AwaitsConfirmation } from './awaits-confirmation.tsx'
import { DeleteDestination } from './delete-destination.tsx'
import { DeliveriesTab, TestTab } from './deliveries-tab.tsx'
import { toFormValues, destinationRefusal, toPayload, destinationValues } from './form/destination-form.ts'
import { DestinationSection } from './form/destination-section.tsx'
import { destinationQuery } from './queries.ts'
import { destinationList, editDestination } from '../../routes/alert-destinations.ts'

const kind = 'alert_destination'

export const loader = ({ params }: { params: { alert_destination_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([
      queryClient.ensureQueryData(destinationQuery(params.alert_destination_sid)),
      readLastChange(kind, params.alert_destination_sid),
    ]),
  )

/** Edits one alert destination, loaded by its SID. */
export const EditAlertDestinationPage = (): ReactNode => {
  const { alert_destination_sid } = useScreenParams(editDestination)
  const destination = useQuery(destinationQuery(alert_destination_sid))
  const isChangeKnown = useLastChangeKnown(kind, alert_destination_sid)
  useRedirectOnError(destination.data ? undefined : destination.error, destinationList.path)
  if (destination.data && isChangeKnown)
    return <DestinationRecord key={alert_destination_sid} destination={destination.data} refusal={destination.error} />
  return (
    <>
      <ScreenHeader screen={editDestination} />
      {destination.isError && !isAccessError(destination.error) ? (
        <LoadFailed
          message={errorMessage(destination.error)}
          requestId={getRequestId(destination.error)}
          onRetry={() => void destination.refetch()}
        />
      ) : (
        <FormSkeleton sections={2} />
      )}
    </>
  )
}

interface DestinationProps {
  destination: AlertDestination
  refusal: Error | null
}

const DestinationRecord = ({ destination, refusal }: DestinationProps) => {
  const { alert_destination_sid, name } = destination
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const viewOnly = viewOnlyReason(requiredSession().actor)
  return (
    <>
      <RecordHeader
        screen={editDestination}
        name={name}
        sid={alert_destination_sid}
        changed={<LastChange kind={kind} sid={alert_destination_sid} />}
        actions={!viewOnly && <Button onClick={() => setDeleting(true)}>Delete destination</Button>}
      />
      <ScreenTabs
        screen={editDestination}
        label="Parts of the destination"
        tabs={[
          {
            id: 'details',
            label: 'Details',
            stays: true,
            content: <DestinationEditor destination={destination} refusal={refusal} />,
          },
          { id: 'test', label: 'Test', content: <TestTab destination={destination} /> },
          {
            id: 'deliveries',
            label: 'Deliveries',
            content: <DeliveriesTab alert_destination_sid={alert_destination_sid} />,
          },
          ...historyTab({ kind, sid: alert_destination_sid }),
        ]}
      />
      {deleting && (
        <DeleteDestination
          destination={destination}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(destinationList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

/** Refetches of the destination never overwrite unsaved edits. */
const DestinationEditor = ({ destination, refusal }: DestinationProps) => {
  const { alert_destination_sid, failing_since, last_error } = destination
  const go = useNavigateTo()
  const query = destinationQuery(alert_destination_sid)
  const change = useAction({
    run: (body: Partial<ReturnType<typeof toPayload>>) =>
      api('PUT /patchbay/alert-destinations/:alert_destination_sid', { params: { alert_destination_sid }, body }),
    done: () => 'Alert destination updated successfully',
    changes: [['alert-destinations'], query.queryKey],
  })
  const state = useRecordForm({
    schema: destinationValues,
    stored: useMemo(() => toFormValues(destination), [destination]),
    latest: async () => toFormValues(await queryClient.fetchQuery({ ...query, staleTime: 0 })),
    refusal: destinationRefusal,
    save: async (values, before) => {
      const body = changedMembers(toPayload(values), toPayload(before))
      if (Object.keys(body).length > 0) await change.mutateAsync(body)
      highlightRow(destinationList, alert_destination_sid)
      await go({ ...listBackLink(destinationList), ignoreBlocker: true })
    },
  })

  // If a refetch is denied while the form has unsaved changes, the user stays on the page and sees the error on save.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, destinationList.path)

  return (
    <RecordForm
      label="Edit alert destination"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(destinationList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      {!destination.is_confirmed && (
        <AwaitsConfirmation destination={destination} viewOnly={viewOnlyReason(requiredSession().actor)} />
      )}
      {failing_since && (
        <Banner tone="warn">
          Nothing could be sent since <DateTime iso={failing_since} />: {last_error}
        </Banner>
      )}
      <DestinationSection />
    </RecordForm>
  )
}
