import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { highlightRow } from '../../list/list-navigation-state.ts'
import { addDestination, destinationList } from '../../routes/alert-destinations.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import {
  type DestinationValues,
  destinationFieldErrors,
  destinationValues,
  toPayload,
} from './form/destination-form.ts'
import { DestinationSection } from './form/destination-section.tsx'
import { TestSection } from './form/test-section.tsx'

const start: DestinationValues = {
  name: '',
  account_sid: '',
  kind: 'webhook',
  target: '',
  is_active: true,
  once_per_hour: false,
  is_narrowed: false,
  types: [],
}

/**
 * Adds an alert destination for the caller's account, the current service provider, or one of the provider's accounts.
 */
export const AddAlertDestinationPage = (): ReactNode => {
  const service_provider_sid = useProviderSid()
  const go = useNavigateTo()
  const ownAccountSid = requiredSession().actor.account_sid
  const stored = useMemo(() => ({ ...start, account_sid: ownAccountSid ?? '' }), [ownAccountSid])
  const create = useAction({
    run: (values: DestinationValues) =>
      api('POST /patchbay/alert-destinations', {
        body: { ...toPayload(values), account_sid: values.account_sid || null, service_provider_sid },
      }),
    done: () => 'Alert destination created successfully',
    changes: [['alert-destinations']],
  })
  const state = useRecordForm({
    schema: destinationValues,
    stored,
    toFieldErrors: destinationFieldErrors,
    save: async (values) => {
      const { sid } = await create.mutateAsync(values)
      highlightRow(destinationList, sid)
      await go({ to: destinationList, ignoreBlocker: true })
    },
  })
  return (
    <>
      <ScreenHeader
        screen={addDestination}
        description="Send alerts to a webhook, Slack, PagerDuty, or an email address as they occur."
      />
      <RecordForm label="Add an alert destination" state={state} list={destinationList}>
        <DestinationSection {...(ownAccountSid === null ? { service_provider_sid } : {})} />
        <TestSection service_provider_sid={service_provider_sid} />
      </RecordForm>
    </>
  )
}
