import type { AlertAcknowledgment, AlertGroup } from '@patchbay/contract/alert-groups'
import type { Alert } from '@patchbay/contract/alerts'
import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { type AlertObject, toAlertObject } from '@patchbay/rules/alerts/alert-objects'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../../api/client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'
import { toaster } from '../../../feedback/toaster.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { unreadKey } from '../../../sections/new-alerts.ts'

export type GroupQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/alert-groups']>

/** Reads the groups of an account, or of a service provider and all its accounts. */
export const readGroups = (owner: OwnerSid, query: GroupQuery, how: CallOptions = {}) =>
  owner.account_sid === undefined
    ? api('GET /patchbay/service-providers/:service_provider_sid/alert-groups', { params: owner, query }, how)
    : api('GET /patchbay/accounts/:account_sid/alert-groups', { params: owner, query }, how)

const groupsKey = ['alert-groups'] as const
const acknowledgmentKey = ['alert-acknowledgment'] as const

export const groupsQuery = (owner: OwnerSid, query: GroupQuery) =>
  queryOptions({
    queryKey: [...groupsKey, owner, query],
    queryFn: (context) => readGroups(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

/** The members of a request that name the group of an alert. An alert without an account belongs to its provider. */
const toReference = (alert: Pick<Alert, 'account_sid' | 'service_provider_sid' | 'alert_type'> & AlertObject) => {
  const { account_sid, service_provider_sid, alert_type, object_kind, object_id } = alert
  const owner = account_sid === null ? { service_provider_sid: service_provider_sid ?? '' } : { account_sid }
  return { ...owner, alert_type, object_kind, ...(object_id === null ? {} : { object_id }) }
}

/** The acknowledgment of an alert. Polls like the list. */
export const acknowledgmentQuery = (alert: Alert) => {
  const query = { ...toReference({ ...alert, ...toAlertObject(alert) }), time: alert.time }
  return queryOptions({
    queryKey: [...acknowledgmentKey, query],
    queryFn: async (context) =>
      (await api('GET /patchbay/alert-acknowledgments', { query }, queryCallOptions(context))).acknowledgment,
  })
}

const changes = [groupsKey, acknowledgmentKey, unreadKey, ['overview']]

/** Returns the action that withdraws an acknowledgment. */
export const useWithdraw = () =>
  useAction({
    run: ({ alert_acknowledgment_sid }: Pick<AlertAcknowledgment, 'alert_acknowledgment_sid'>) =>
      api('DELETE /patchbay/alert-acknowledgments/:alert_acknowledgment_sid', { params: { alert_acknowledgment_sid } }),
    changes,
    done: () => 'Acknowledgment withdrawn.',
  })

/** The alerts to acknowledge: a group up to its newest alert, or a single alert. */
export type Acknowledgeable = { group: AlertGroup } | { alert: Alert }

/** Returns the action that acknowledges a group or an alert, and offers to undo it. */
export const useAcknowledge = () => {
  const withdraw = useWithdraw()
  return useAction({
    run: (input: Acknowledgeable) =>
      api('POST /patchbay/alert-acknowledgments', {
        body:
          'group' in input
            ? { ...toReference(input.group), until: input.group.last_at }
            : {
                ...toReference({ ...input.alert, ...toAlertObject(input.alert) }),
                until: input.alert.time,
                is_single: true,
              },
      }),
    changes,
    after: ({ sid }, input) =>
      toaster.success('group' in input ? 'Alerts acknowledged.' : 'Alert acknowledged.', {
        action: { label: 'Undo', run: () => withdraw.mutate({ alert_acknowledgment_sid: sid }) },
      }),
  })
}
