import { can } from '@patchbay/contract/api/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { serviceProviderLengths as lengths } from '@patchbay/contract/service-providers/record'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { limitsQuery } from '../../api/record-queries.ts'
import { providersQuery } from '../../api/shared-queries.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, useSaveParts } from '../../form/save-in-parts.ts'
import { useFields } from '../../form/use-fields.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { apiKeyList } from '../../routes/api-keys.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { maskingRules } from '../../routes/masking-rules.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ApiKeys } from '../../sections/api-keys/api-keys.tsx'
import { LimitsSection } from '../../sections/limits/limits-section.tsx'
import { limitParts } from '../../sections/limits/save-limits.ts'
import { useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { pageTitleId } from '../../ui/page-header.tsx'
import { DeleteProvider } from './delete-provider.tsx'
import { HistoryLink } from './history-link.tsx'
import {
  type ProviderRecords,
  type ProviderValues,
  providerFieldErrors,
  providerValues,
  toProviderPayload,
  toProviderValues,
} from './provider-form.ts'
import { providerQuery } from './queries.ts'

/** Settings of the current service provider. */
export const ProviderTab = ({ provider }: { provider: ServiceProvider }) => {
  const { service_provider_sid } = provider
  const owner = useMemo(() => ({ service_provider_sid }), [service_provider_sid])
  const limits = useQuery(limitsQuery(owner))
  const stored = useQuery(providerQuery(service_provider_sid))
  if (limits.data === undefined || stored.data === undefined)
    return <FormLoading queries={[limits, stored]} sections={2} />
  return (
    <ProviderForm
      provider={stored.data}
      limits={limits.data}
      after={
        <>
          {canOpen(maskingRules, requiredSession().actor) && <Masking />}
          <ApiKeys
            owner={owner}
            title="Service provider API keys"
            description={
              <>
                For programs that work with this service provider and all its accounts.{' '}
                {canOpen(apiKeyList, requiredSession().actor) && (
                  <ScreenLink to={apiKeyList}>Show also the keys of accounts</ScreenLink>
                )}
              </>
            }
          />
          {requiredSession().actor.scope === 'admin' && <Deletion provider={provider} />}
        </>
      }
    />
  )
}

const Masking = () => (
  <FormSection
    title="Masking"
    description="Card numbers, and what your patterns match, are replaced in transcripts and log lines before they are stored."
  >
    <div>
      <ScreenLink to={maskingRules} className={buttonClass('secondary')}>
        Edit masking
      </ScreenLink>
    </div>
  </FormSection>
)

/** The upstream jambonz server clears the registration hook of a provider if the request omits it. */
const withStoredHook = ({ registration_hook }: ServiceProvider) =>
  config().extensions.size === 0 && registration_hook ? { registration_hook } : {}

const toSaveParts = (
  { limits, ...values }: ProviderValues,
  before: ProviderValues,
  { provider, limits: storedLimits }: ProviderRecords,
): SavePart[] => {
  const { service_provider_sid } = provider
  const params = { service_provider_sid }
  const body = changedMembers(toProviderPayload(values), toProviderPayload(before))
  const save = () =>
    api(
      'PUT /ServiceProviders/:service_provider_sid',
      { params, body: { ...body, ...withStoredHook(provider) } },
      { base: provider },
    )
  return [
    ...(Object.keys(body).length > 0 ? [{ what: 'name and MS Teams', save, record: 'provider', values }] : []),
    ...limitParts(params, limits, before.limits, { base: storedLimits }),
  ]
}

/** @param after sections after the form */
const ProviderForm = ({ provider, limits, after }: ProviderRecords & { after: ReactNode }) => {
  const { service_provider_sid } = provider
  const stored = useMemo(() => toProviderValues({ provider, limits }), [provider, limits])
  const change = useSaveParts({
    done: 'Settings updated',
    changes: [providersQuery.queryKey, limitsQuery({ service_provider_sid }).queryKey],
  })
  const state = useRecordForm({
    schema: providerValues,
    stored,
    versioned: { record: { provider, limits }, toValues: toProviderValues },
    toFieldErrors: providerFieldErrors,
    // The cast is safe: the form has these records.
    save: (values, before, { base }) => change(toSaveParts(values, before, base as ProviderRecords)),
  })
  return (
    <RecordForm label="Service provider settings" state={state} after={after}>
      <DetailsSection service_provider_sid={service_provider_sid} />
      <LimitsSection description="Limits for this service provider and all its accounts together." />
    </RecordForm>
  )
}

const DetailsSection = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const field = useFields<ProviderValues>()
  const { watch } = useFormContext<ProviderValues>()
  return (
    <FormSection
      title="Details"
      description="Name and Microsoft Teams settings of the service provider."
      action={<HistoryLink of="service provider" search={{ filter: service_provider_sid }} />}
    >
      <TextField
        label="Service provider name"
        required
        maxLength={lengths.name}
        autoComplete="off"
        {...field('name')}
      />
      <CheckboxField
        label="Enable MS Teams Direct Routing"
        hint="Adds MS Teams Tenants to the menu."
        {...field('withMsTeams')}
      >
        {watch('withMsTeams') && (
          <TextField
            label="SBC domain name"
            required
            placeholder="sbc.example.com"
            maxLength={lengths.ms_teams_fqdn}
            autoComplete="off"
            spellCheck={false}
            {...field('ms_teams_fqdn')}
          />
        )}
      </CheckboxField>
    </FormSection>
  )
}

const Deletion = ({ provider }: { provider: ServiceProvider }) => {
  const { providers } = useProviders()
  const [deleting, setDeleting] = useState(false)
  const [started, setStarted] = useState(0)
  useEffect(() => {
    // The page shows the progress below its title.
    if (started > 0) document.getElementById(pageTitleId)?.focus()
  }, [started])
  const onStarted = () => {
    setDeleting(false)
    setStarted(started + 1)
  }
  const { actor } = requiredSession()
  const isLast = providers.length === 1
  const blocked = isLast ? 'The only service provider cannot be deleted.' : undefined
  const reason = can(actor, 'write', { ...provider, account_sid: null }) ? blocked : viewOnlyReason(actor)
  return (
    <FormSection
      title="Deletion"
      description={
        config().extensions.has('provider-cascade')
          ? 'Delete this service provider, alone or with all its accounts.'
          : 'A service provider without accounts and users can be deleted with all its records.'
      }
    >
      <div>
        <Button disabledReason={reason} onClick={() => setDeleting(true)}>
          Delete service provider
        </Button>
      </div>
      {deleting && <DeleteProvider provider={provider} onClose={() => setDeleting(false)} onStarted={onStarted} />}
    </FormSection>
  )
}
