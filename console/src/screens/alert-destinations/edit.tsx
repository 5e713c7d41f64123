import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { destinationList, editDestination } from '../../routes/alert-destinations.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Banner } from '../../ui/banner.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { AwaitsConfirmation } from './awaits-confirmation.tsx'
import { DeleteDestination } from './delete-destination.tsx'
import { DeliveriesTab, SigningTab } from './deliveries-tab.tsx'
import { destinationFieldErrors, destinationValues, toFormValues, toPayload } from './form/destination-form.ts'
import { DestinationSection } from './form/destination-section.tsx'
import { TestSection } from './form/test-section.tsx'
import { destinationQuery } from './queries.ts'

const page = { screen: editDestination, list: destinationList, kind: 'alert_destination' } as const

export const loader = ({ params: { alert_destination_sid } }: { params: { alert_destination_sid: string } }) =>
  prefetchRecord(page.kind, alert_destination_sid, destinationQuery(alert_destination_sid))

/** Edits one alert destination, loaded by its SID. */
export const EditAlertDestinationPage = (): ReactNode => {
  const { alert_destination_sid } = useScreenParams(editDestination)
  return (
    <RecordPage {...page} sid={alert_destination_sid} query={destinationQuery(alert_destination_sid)} sections={3}>
      {(destination, loadError) => (
        <RecordView
          {...page}
          sid={alert_destination_sid}
          name={destination.name}
          actions={
            <ExportMenu
              endpoint="GET /patchbay/alert-destinations/:alert_destination_sid"
              input={{ params: { alert_destination_sid } }}
              rows={() => [destination]}
            />
          }
          deletion={
            !requiredSession().actor.is_view_only && {
              label: 'Delete destination',
              renderDialog: (handlers) => <DeleteDestination destination={destination} {...handlers} />,
            }
          }
          tabsLabel="Parts of the destination"
          details={<DestinationEditor destination={destination} loadError={loadError} />}
          tabs={[
            {
              id: 'deliveries',
              label: 'Deliveries',
              content: <DeliveriesTab alert_destination_sid={alert_destination_sid} />,
            },
            ...(destination.kind === 'webhook' && !requiredSession().actor.is_view_only
              ? [{ id: 'signing', label: 'Signing secret', content: <SigningTab destination={destination} /> }]
              : []),
          ]}
        />
      )}
    </RecordPage>
  )
}

interface DestinationEditorProps {
  destination: AlertDestination
  loadError: Error | null
}

const DestinationEditor = ({ destination, loadError }: DestinationEditorProps) => {
  const { alert_destination_sid, failing_since, last_error } = destination
  const query = destinationQuery(alert_destination_sid)
  const update = useUpdate({
    run: (body: Partial<ReturnType<typeof toPayload>>, options) =>
      api(
        'PUT /patchbay/alert-destinations/:alert_destination_sid',
        { params: { alert_destination_sid }, body },
        options,
      ),
    done: () => 'Alert destination updated successfully',
    changes: [['alert-destinations'], query.queryKey],
  })
  const state = useEditForm({
    sid: alert_destination_sid,
    list: destinationList,
    loadError,
    schema: destinationValues,
    stored: useMemo(() => toFormValues(destination), [destination]),
    versioned: { record: destination, toValues: toFormValues },
    toFieldErrors: destinationFieldErrors,
    save: (values, before, options) => update(changedMembers(toPayload(values), toPayload(before)), options),
  })
  return (
    <RecordForm label="Edit alert destination" state={state} list={destinationList}>
      {!destination.is_confirmed && (
        <AwaitsConfirmation destination={destination} viewOnly={viewOnlyReason(requiredSession().actor)} />
      )}
      {failing_since && (
        <Banner tone="warn">
          Deliveries have failed since <DateTime iso={failing_since} />: {last_error}
        </Banner>
      )}
      <DestinationSection />
      <TestSection destination={destination} />
    </RecordForm>
  )
}
