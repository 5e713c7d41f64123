import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { instant } from './api/values.ts'

/**
 * The state of everything that a call and its data pass through, for administrators who look for the reason why nothing
 * arrives. A Patchbay extension; the platform has no equivalent.
 */

export const componentStates = ['ok', 'warning', 'failing', 'not_configured', 'unknown'] as const
const state = z.enum(componentStates)
export type ComponentState = z.infer<typeof state>

export const componentGroups = ['storage', 'call_servers', 'call_data', 'services'] as const
export type ComponentGroup = (typeof componentGroups)[number]

/** An instance of a component, such as one SBC. */
const part = z.object({
  name: z.string(),
  state,
  detail: z.string().nullable(),
  /** Last sign of life. Null if the platform stores none. */
  last_contact: instant.nullable(),
})
export type ComponentPart = z.infer<typeof part>

const component = z.object({
  id: z.string(),
  group: z.enum(componentGroups),
  name: z.string(),
  state,
  /** The result of the check, in one or two sentences. */
  detail: z.string(),
  /** Time of the last response, heartbeat, or received record. Null if there is none. */
  last_contact: instant.nullable(),
  /** Null if unknown. */
  version: z.string().nullable(),
  /** The consequences of an outage. */
  effect: z.string(),
  /** The remedy for an outage. */
  fix: z.string(),
  /** Environment variables that enable or connect the component. */
  settings: z.array(z.string()),
  /** At most `maxParts`. */
  parts: z.array(part),
  /** Number of instances, including those beyond `maxParts`. */
  part_count: z.number(),
})
export type SystemComponent = z.infer<typeof component>

export const maxParts = 50

const systemStatus = z.object({
  /** When the checks ran. Responses are cached for a few seconds. */
  checked_at: instant,
  /** Calls in progress that the SBCs count. Null if unknown. */
  calls: z.object({ inbound: z.number(), outbound: z.number() }).nullable(),
  components: z.array(component),
})
export type SystemStatus = z.infer<typeof systemStatus>

export const systemStatusEndpoints = endpoints({
  'GET /patchbay/system-status': {
    summary: 'Check databases, call servers, intakes, and external services',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    responses: { 200: systemStatus },
  },
})

/** Descriptions of fields for the API documentation. */
export const systemStatusDescriptions: Descriptions = {
  calls: 'Calls in progress that the SBCs count. Null if unknown.',
  components: 'All components, in a fixed order.',
  detail: 'Result of the check.',
  effect: 'Consequences of an outage.',
  fix: 'Remedy for an outage.',
  group: 'Group: storage, call_servers, call_data, or services.',
  id: 'ID of the component.',
  inbound: 'Number of inbound calls in progress.',
  last_contact: 'Time of the last response, heartbeat, or received record. Null if there is none.',
  name: 'Name of the component, or address of the instance.',
  outbound: 'Number of outbound calls in progress.',
  part_count: 'Number of instances.',
  parts: 'The first instances of the component, such as the SBCs.',
  settings: 'Environment variables that enable or connect the component.',
  state: 'State: ok, warning, failing, not_configured, or unknown.',
  version: 'Version. Null if unknown.',
}
