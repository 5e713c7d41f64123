import { lcrLengths } from '@patchbay/contract/lcrs/record'
import { useQuery } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import { queryClient } from '../../../api/query-client.ts'
import { carriersToChooseQuery } from '../../../api/record-queries.ts'
import { AccountField } from '../../../fields/account-field.tsx'
import { CarrierField } from '../../../fields/carrier-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { useProviderSid } from '../../../session/current-provider.ts'
import { requiredSession } from '../../../session/session.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyField } from '../../../ui/format/sid.tsx'
import { lcrsQuery } from '../queries.ts'
import type { LcrValues } from './lcr-form.ts'

/** Returns a function that clears the carriers that another account cannot use. The patterns are kept. */
const useDropForeign = (service_provider_sid: string) => {
  const { getValues, setValue } = useFormContext<LcrValues>()
  return async (account_sid: string) => {
    const { data } = await queryClient.ensureQueryData(carriersToChooseQuery(service_provider_sid, account_sid, ''))
    const availableSids = new Set(data.map(({ voip_carrier_sid }) => voip_carrier_sid))
    const { routes, default_voip_carrier_sid } = getValues()
    const keepIfAvailable = (sid: string) => (availableSids.has(sid) ? sid : '')
    setValue('default_voip_carrier_sid', keepIfAvailable(default_voip_carrier_sid), { shouldDirty: true })
    for (const [index, { voip_carrier_sid }] of routes.entries())
      setValue(`routes.${index}.voip_carrier_sid`, keepIfAvailable(voip_carrier_sid), { shouldDirty: true })
  }
}

/** Returns the accounts and service providers that have an outbound routing, because each can have only one. */
const useOwners = (): ReadonlySet<string> => {
  const { data } = useQuery({ ...lcrsQuery, enabled: requiredSession().actor.scope === 'admin' })
  return new Set(data?.flatMap(({ account_sid, service_provider_sid }) => account_sid ?? service_provider_sid ?? []))
}

/** Name, active state, account, and default carrier of an outbound routing. */
export const DetailsSection = ({ lcr_sid }: { lcr_sid?: string | undefined }) => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const field = useFields<LcrValues>()
  const account = useSelection<LcrValues>('account_sid')
  const carrier = useSelection<LcrValues>('default_voip_carrier_sid')
  const dropForeign = useDropForeign(service_provider_sid)
  const owners = useOwners()
  return (
    <FormSection title="Details" description="Routes outbound calls to carriers by number prefix or pattern.">
      {lcr_sid !== undefined && <CopyField label="LCR SID" value={lcr_sid} />}
      <TextField label="Name" maxLength={lcrLengths.name} autoComplete="off" {...field('name')} />
      <CheckboxField
        label="Active"
        hint="A note for users. The platform ignores it when it routes calls."
        {...field('is_active')}
      />
      <FieldRow>
        {actor.scope === 'admin' && (
          <AccountField
            {...account}
            label="Used by"
            all={lcr_sid === undefined && owners.has(service_provider_sid) ? undefined : 'All accounts'}
            excluded={owners}
            hint={
              lcr_sid === undefined
                ? 'One account, or all accounts of the service provider. Those that have an outbound routing are left out.'
                : 'Can’t be changed after creation.'
            }
            disabled={lcr_sid !== undefined}
            service_provider_sid={service_provider_sid}
            onChange={(account_sid) => {
              account.onChange(account_sid)
              // If the carriers cannot be read, the server rejects the unavailable ones on save.
              dropForeign(account_sid).catch(() => {})
            }}
          />
        )}
        <CarrierField
          {...carrier}
          label="Select a default outbound carrier"
          required
          hint="Used for every number that no route matches."
          account_sid={account.value}
        />
      </FieldRow>
    </FormSection>
  )
}
