import type { AgentEventEnvelope, AgentEventReceipt } from '@patchbay/contract/conversation-events'
import type { AgentEvent } from '@patchbay/rules/conversations/agent-events'

/** Events of agents, which applications copy to Patchbay. */

export interface AgentEventSink {
  /** Stores events of an account. An event with a sequence number that the call already has is not stored again. */
  store(account_sid: string, events: readonly AgentEventEnvelope[]): Promise<Omit<AgentEventReceipt, 'skipped'>>
}

export interface AgentEvents extends AgentEventSink {
  /** Returns the events that are not stored yet. */
  findNew(account_sid: string, events: readonly AgentEventEnvelope[]): Promise<AgentEventEnvelope[]>
  /** Returns the events of a call in the order of their sequence numbers. */
  read(account_sid: string, call_sid: string): Promise<AgentEvent[]>
}
