import { isAtLeast } from '@patchbay/contract/api/access'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { AccountField } from '../../fields/account-field.tsx'
import { CopyRequest } from '../../form/copy-request/copy-request.tsx'
import { highlightRow } from '../../list/list-navigation-state.ts'
import { carrierList, connectCarrier, editCarrier } from '../../routes/carriers.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import styles from './guided/guided.module.css'

const predefinedCarriersQuery = queryOptions({
  queryKey: ['predefined-carriers'],
  queryFn: (context) => api('GET /PredefinedCarriers', {}, queryCallOptions(context)),
})

interface PredefinedSectionProps {
  service_provider_sid: string
  /** SID of the account that gets the carrier. Empty for a carrier of the service provider. */
  account_sid: string
  onAccountChange: (account_sid: string) => void
  /** SID of the chosen template, or an empty text. */
  chosen: string
  onChoose: (predefined_carrier_sid: string) => void
  /** Whether the new carrier opens in the guided setup instead of on its page. */
  isGuided?: boolean
}

/**
 * Templates of well-known carriers. After a confirmation, the selected template becomes a new carrier, which opens so
 * that the user can add what the template lacks.
 */
export const PredefinedSection = (props: PredefinedSectionProps): ReactNode => {
  const { service_provider_sid, account_sid, onAccountChange, chosen, onChoose, isGuided = false } = props
  const { actor } = requiredSession()
  const owner = actor.account_sid ?? account_sid
  const templates = useQuery(predefinedCarriersQuery)
  const go = useNavigateTo()
  const create = useAction({
    run: (predefined_carrier_sid: string) =>
      owner === ''
        ? api('POST /ServiceProviders/:service_provider_sid/PredefinedCarriers/:predefined_carrier_sid', {
            params: { service_provider_sid, predefined_carrier_sid },
          })
        : api('POST /Accounts/:account_sid/PredefinedCarriers/:predefined_carrier_sid', {
            params: { account_sid: owner, predefined_carrier_sid },
          }),
    done: () => 'Carrier created successfully',
    changes: [['carriers']],
    after: async ({ sid }) => {
      highlightRow(carrierList, sid)
      await (isGuided
        ? go({ to: connectCarrier, search: { carrier: sid }, replace: true, ignoreBlocker: true })
        : go({ to: editCarrier, params: { voip_carrier_sid: sid }, ignoreBlocker: true }))
    },
  })
  const sorted = [...(templates.data ?? [])].sort((one, other) => one.name.localeCompare(other.name))
  const template = sorted.find(({ predefined_carrier_sid }) => predefined_carrier_sid === chosen)
  if (templates.data?.length === 0) return null
  return (
    <FormSection title="Predefined carrier" description="Start from a known carrier with its gateways and settings.">
      <SelectField
        label="Select a predefined carrier"
        placeholder="None"
        options={sorted.map((one) => ({ value: one.predefined_carrier_sid, label: one.name }))}
        value={chosen}
        error={templates.isError ? errorMessage(templates.error) : undefined}
        onChange={({ target }) => onChoose(target.value)}
      />
      {template && (
        <>
          {isAtLeast(actor.scope, 'service_provider') && (
            <AccountField
              label="Used by"
              all="All accounts"
              service_provider_sid={service_provider_sid}
              value={account_sid}
              onChange={onAccountChange}
            />
          )}
          <Banner tone="info">
            {template.name} will be created{owner === '' ? ' for all accounts' : ' for the chosen account'} immediately,
            with its gateways. Add what is missing, such as your credentials,{' '}
            {isGuided ? 'in the next step' : 'on the page of the carrier'}.
            {template.requires_static_ip ? ' It authenticates you by a static IP address.' : ''}
          </Banner>
          <div className={styles['actions']}>
            <Button
              variant="primary"
              busy={create.isPending}
              disabledReason={viewOnlyReason(actor)}
              onClick={() => create.mutate(template.predefined_carrier_sid)}
            >
              Create {template.name}
            </Button>
            {!actor.is_view_only && (
              <CopyRequest prepare={(use) => use(() => create.run(template.predefined_carrier_sid))} />
            )}
          </div>
        </>
      )}
    </FormSection>
  )
}
