import type { SystemInformation } from '@patchbay/contract/system-information'
import { systemInformationLengths as lengths } from '@patchbay/contract/system-information/record'
import { defaultPasswordPolicy, type PasswordPolicy } from '@patchbay/rules/identity/passwords'
import { findInvalidPrivateNetwork, privateNetworkError } from '@patchbay/rules/networks/private-networks'
import type { ApiError } from '../../api/api-error.ts'
import type { FieldErrors } from '../../form/server-errors.ts'
import { maxText, trimmedText, z } from '../../zod.ts'

/** Values of the admin settings: system information and password policy. */

export const adminValues = z.object({
  domain_name: trimmedText(lengths.domain_name),
  sip_domain_name: trimmedText(lengths.sip_domain_name),
  // Trimming would hide whitespace, which the validation has to report.
  private_network_cidr: z.string().check(maxText(lengths.private_network_cidr), (context) => {
    const bad = findInvalidPrivateNetwork(context.value)
    if (bad !== undefined)
      context.issues.push({ code: 'custom', input: context.value, message: privateNetworkError(bad) })
  }),
  monitoring_domain_name: trimmedText(lengths.monitoring_domain_name),
  log_level: z.enum(['info', 'debug']),
  /** A string, because the select element uses string values. */
  min_password_length: z.string(),
  require_digit: z.boolean(),
  require_special_character: z.boolean(),
})
export type AdminValues = z.infer<typeof adminValues>

/**
 * The records of the form, which are saved separately. The system information is empty until it is first saved. The
 * upstream jambonz server may omit fields of the policy.
 */
export interface AdminRecords {
  system: Partial<SystemInformation>
  policy: Partial<PasswordPolicy>
}

export const toAdminValues = ({ system, policy }: AdminRecords): AdminValues => {
  const { min_password_length, require_digit, require_special_character } = { ...defaultPasswordPolicy, ...policy }
  return {
    domain_name: system.domain_name ?? '',
    sip_domain_name: system.sip_domain_name ?? '',
    private_network_cidr: system.private_network_cidr ?? '',
    monitoring_domain_name: system.monitoring_domain_name ?? '',
    log_level: system.log_level ?? 'info',
    min_password_length: String(min_password_length),
    require_digit: require_digit !== 0,
    require_special_character: require_special_character !== 0,
  }
}

/** Returns the values by the record in which they are stored. */
export const splitAdminValues = ({
  min_password_length,
  require_digit,
  require_special_character,
  ...system
}: AdminValues) => ({ system, policy: { min_password_length, require_digit, require_special_character } })

/** Returns the request body. Empty texts become null. */
export const toSystemPayload = (values: AdminValues) => ({
  domain_name: values.domain_name.trim() || null,
  sip_domain_name: values.sip_domain_name.trim() || null,
  private_network_cidr: values.private_network_cidr || null,
  monitoring_domain_name: values.monitoring_domain_name.trim() || null,
  log_level: values.log_level,
})

export const toPolicyPayload = ({ min_password_length, require_digit, require_special_character }: AdminValues) => ({
  min_password_length: Number(min_password_length),
  require_digit,
  require_special_character,
})

const isField = (name: string): name is keyof AdminValues => Object.hasOwn(adminValues.shape, name)

/** Assigns an error of the server to the form field that it names. */
export const adminFieldErrors = ({ field, message, detail }: ApiError): FieldErrors<AdminValues> =>
  field !== undefined && isField(field) ? { [field]: detail ?? message } : {}
