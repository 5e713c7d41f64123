import type { SystemInformation } from '@patchbay/contract/system-information'
import { systemInformationLengths as lengths } from '@patchbay/contract/system-information/record'
import { type PasswordPolicy, passwordLengthChoices } from '@patchbay/rules/identity/passwords'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, useSaveParts } from '../../form/save-in-parts.ts'
import { useFields } from '../../form/use-fields.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { ApiKeys } from '../../sections/api-keys/api-keys.tsx'
import { TtsCacheSection } from '../../sections/tts-cache-section.tsx'
import { CheckboxField, SelectField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import {
  type AdminValues,
  adminFieldErrors,
  adminValues,
  toAdminValues,
  toPolicyPayload,
  toSystemPayload,
} from './admin-form.ts'
import { HistoryLink } from './history-link.tsx'
import { hasPlatformKeys, passwordSettingsQuery, systemInformationQuery } from './queries.ts'
import { SipAddresses } from './sip-addresses.tsx'

/** Settings of the whole platform, for admins only. */
export const AdminTab = () => {
  const system = useQuery(systemInformationQuery)
  const policy = useQuery(passwordSettingsQuery)
  if (system.data === undefined || policy.data === undefined)
    return <FormLoading queries={[system, policy]} sections={3} />
  return (
    <>
      <AdminForm system={system.data} policy={policy.data} />
      <SipAddresses />
      {hasPlatformKeys() && (
        <ApiKeys
          owner="platform"
          title="Platform API keys"
          description="For programs with full admin access to all service providers."
        />
      )}
    </>
  )
}

const latest = async (): Promise<AdminValues> => {
  const [system, policy] = await Promise.all([
    queryClient.fetchQuery({ ...systemInformationQuery, staleTime: 0 }),
    queryClient.fetchQuery({ ...passwordSettingsQuery, staleTime: 0 }),
  ])
  return toAdminValues(system, policy)
}

const toSaveParts = (values: AdminValues, before: AdminValues): SavePart[] => {
  const system = changedMembers(toSystemPayload(values), toSystemPayload(before))
  const policy = changedMembers(toPolicyPayload(values), toPolicyPayload(before))
  return [
    { what: 'system information', body: system, save: () => api('POST /SystemInformation', { body: system }) },
    // The upstream jambonz server has no PUT for this resource.
    { what: 'password policy', body: policy, save: () => api('POST /PasswordSettings', { body: policy }) },
  ].filter(({ body }) => Object.keys(body).length > 0)
}

const AdminForm = ({ system, policy }: { system: Partial<SystemInformation>; policy: PasswordPolicy }) => {
  const stored = useMemo(() => toAdminValues(system, policy), [system, policy])
  const change = useSaveParts({
    done: 'Admin settings updated successfully',
    changes: [systemInformationQuery.queryKey, passwordSettingsQuery.queryKey],
  })
  const state = useRecordForm({
    schema: adminValues,
    stored,
    latest,
    toFieldErrors: adminFieldErrors,
    save: (values, before) => change.mutateAsync(toSaveParts(values, before)),
  })
  return (
    <RecordForm label="Admin settings" state={state}>
      <SystemSection />
      <PolicySection />
      <TtsCacheSection />
    </RecordForm>
  )
}

const SystemSection = () => {
  const field = useFields<AdminValues>()
  const name = (member: 'domain_name' | 'sip_domain_name' | 'monitoring_domain_name', label: string) => (
    <TextField label={label} maxLength={lengths[member]} autoComplete="off" spellCheck={false} {...field(member)} />
  )
  return (
    <FormSection
      title="System information"
      description="Domain names and log level of the platform."
      action={<HistoryLink of="system information" search={{ kind: 'system_information', whole: 'yes' }} />}
    >
      {name('domain_name', 'Domain name')}
      {name('sip_domain_name', 'SIP domain name')}
      <TextField
        label="Private network CIDR"
        placeholder="10.0.0.0/8,192.168.0.0/16"
        hint="IPv4 addresses and networks, separated by commas."
        mono
        maxLength={lengths.private_network_cidr}
        autoComplete="off"
        spellCheck={false}
        {...field('private_network_cidr')}
      />
      {name('monitoring_domain_name', 'Monitoring domain name')}
      <SelectField
        label="Log level"
        options={[
          { value: 'info', label: 'Info' },
          { value: 'debug', label: 'Debug' },
        ]}
        {...field('log_level')}
      />
    </FormSection>
  )
}

const lengthOptions = passwordLengthChoices.map((length) => ({ value: String(length), label: String(length) }))

const PolicySection = () => {
  const field = useFields<AdminValues>()
  return (
    <FormSection
      title="Password policy"
      description="Rules for new passwords. Existing passwords are not affected."
      action={<HistoryLink of="password policy" search={{ kind: 'password_settings', whole: 'yes' }} />}
    >
      <SelectField label="Minimum password length" options={lengthOptions} {...field('min_password_length')} />
      <CheckboxField label="Passwords require a digit" {...field('require_digit')} />
      <CheckboxField label="Passwords require a special character" {...field('require_special_character')} />
    </FormSection>
  )
}
