import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { text } from './api/values.ts'
import { systemInformationLengths as lengths } from './system-information/record.ts'

/**
 * Domain names and log level of the whole platform (docs/reference/platform-api/tenants.md#system-information). There
 * is at most one record.
 */

export const logLevels = ['info', 'debug'] as const

export const systemInformation = z.object({
  domain_name: z.string().nullable(),
  sip_domain_name: z.string().nullable(),
  monitoring_domain_name: z.string().nullable(),
  private_network_cidr: z.string().nullable(),
  log_level: z.enum(logLevels),
})
export type SystemInformation = z.infer<typeof systemInformation>

/** Absent members are unchanged, and an empty text is stored as is. A separate rule validates the networks. */
const change = z.strictObject({
  domain_name: text(lengths.domain_name).nullish(),
  sip_domain_name: text(lengths.sip_domain_name).nullish(),
  monitoring_domain_name: text(lengths.monitoring_domain_name).nullish(),
  private_network_cidr: text(lengths.private_network_cidr).nullish(),
  log_level: z.enum(logLevels, { error: 'must be info or debug' }).optional(),
})
export type SystemInformationChange = z.output<typeof change>

export const systemInformationEndpoints = endpoints({
  'GET /SystemInformation': {
    summary: 'Get the system information; empty before the first change',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    responses: { 200: systemInformation.partial() },
  },
  'POST /SystemInformation': {
    summary: 'Update the system information; absent fields are unchanged, null clears a field',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    updates: { record: 'GET /SystemInformation', stored: { table: 'system_information' } },
    body: change,
    responses: { 201: systemInformation },
  },
})

/** Descriptions of fields for the API documentation. */
export const systemInformationDescriptions: Descriptions = {
  domain_name: 'Domain name of the platform.',
  log_level: 'Log level of the platform: info or debug.',
  monitoring_domain_name: 'Domain name of the monitoring.',
  private_network_cidr: 'Private networks of the platform in CIDR notation, separated by commas.',
  sip_domain_name: 'SIP domain name of the platform.',
}
