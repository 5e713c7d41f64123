import type { AgentEventContent } from '@patchbay/contract/conversation-events'

/** An event of an agent, as the application that received it has copied it to Patchbay. */
export interface AgentEvent {
  seq: number
  /** Milliseconds since the Unix epoch, by the clock of the application. */
  at: number
  event: AgentEventContent
}
