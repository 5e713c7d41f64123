import type { ConversationDirection } from '@patchbay/contract/conversations/figures'
import type { Span } from '../traces/traces.ts'

/** Says whom the platform speaks with in a call. Pure. */

/** Names of the root span of a call (docs/reference/platform-api/traces-and-captures.md#spans). */
const directionsByRoot: ReadonlyMap<string, ConversationDirection> = new Map([
  ['incoming-call', 'inbound'],
  ['rest-call', 'outbound'],
  ['outbound-call', 'outbound'],
])

/**
 * Returns the direction of the call that began a trace, or undefined if it is unknown. The record of a leg that the platform
 * dials is outbound, although its trace is that of the call that dials it.
 * @param first the first span of the platform
 */
export const findCallDirection = (first: Pick<Span, 'name'> | undefined): ConversationDirection | undefined =>
  directionsByRoot.get(first?.name ?? '')
