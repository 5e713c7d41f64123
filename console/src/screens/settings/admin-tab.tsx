import { systemInformationLengths as lengths } from '@patchbay/contract/system-information/record'
import { passwordLengthChoices } from '@patchbay/rules/identity/passwords'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, useSaveParts } from '../../form/save-in-parts.ts'
import { useFields } from '../../form/use-fields.ts'
import { type SaveOptions, useRecordForm } from '../../form/use-record-form.tsx'
import { ApiKeys } from '../../sections/api-keys/api-keys.tsx'
import { TtsCacheSection } from '../../sections/tts-cache-section.tsx'
import { CheckboxField, SelectField } from '../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../ui/fields/form-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import {
  type AdminRecords,
  type AdminValues,
  adminFieldErrors,
  adminValues,
  splitAdminValues,
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
    <AdminForm
      system={system.data}
      policy={policy.data}
      after={
        <>
          <SipAddresses />
          {hasPlatformKeys() && (
            <ApiKeys
              owner="platform"
              title="Platform API keys"
              description="For programs with full admin access to all service providers."
            />
          )}
        </>
      }
    />
  )
}

const toSaveParts = (values: AdminValues, before: AdminValues, options: SaveOptions): SavePart[] => {
  // The cast is safe: the form has these records.
  const base = options.base as AdminRecords
  const parts = splitAdminValues(values)
  const system = changedMembers(toSystemPayload(values), toSystemPayload(before))
  const policy = changedMembers(toPolicyPayload(values), toPolicyPayload(before))
  return [
    {
      what: 'system information',
      body: system,
      save: () => api('POST /SystemInformation', { body: system }, { base: base.system }),
      record: 'system',
      values: parts.system,
    },
    {
      what: 'password policy',
      body: policy,
      // The upstream jambonz server has no PUT for this resource.
      save: () => api('POST /PasswordSettings', { body: policy }, { base: base.policy }),
      record: 'policy',
      values: parts.policy,
    },
  ].filter(({ body }) => Object.keys(body).length > 0)
}

/** @param after sections after the form */
const AdminForm = ({ system, policy, after }: AdminRecords & { after: ReactNode }) => {
  const stored = useMemo(() => toAdminValues({ system, policy }), [system, policy])
  const change = useSaveParts({
    done: 'Admin settings updated successfully',
    changes: [systemInformationQuery.queryKey, passwordSettingsQuery.queryKey],
  })
  const state = useRecordForm({
    schema: adminValues,
    stored,
    versioned: { record: { system, policy }, toValues: toAdminValues },
    toFieldErrors: adminFieldErrors,
    save: (values, before, options) => change(toSaveParts(values, before, options)),
  })
  return (
    <RecordForm label="Admin settings" state={state} after={after}>
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
      action={<HistoryLink of="system information" search={{ kind: 'system_information' }} />}
    >
      <FieldRow>
        {name('domain_name', 'Domain name')}
        {name('sip_domain_name', 'SIP domain name')}
      </FieldRow>
      <FieldRow>
        {name('monitoring_domain_name', 'Monitoring domain name')}
        <SelectField
          label="Log level"
          options={[
            { value: 'info', label: 'Info' },
            { value: 'debug', label: 'Debug' },
          ]}
          {...field('log_level')}
        />
      </FieldRow>
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
      action={<HistoryLink of="password policy" search={{ kind: 'password_settings' }} />}
    >
      <FieldRow>
        <SelectField label="Minimum password length" options={lengthOptions} {...field('min_password_length')} />
      </FieldRow>
      <CheckboxField label="Passwords require a digit" {...field('require_digit')} />
      <CheckboxField label="Passwords require a special character" {...field('require_special_character')} />
    </FormSection>
  )
}
