import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getPort } from '../servers/ports.ts'

/**
 * Slack's incoming webhooks and PagerDuty's Events API v2. Both reject what the real services reject: other methods and
 * content types, messages without text, and events without the required members.
 */
export interface AlertReceivers {
  /** Address of an incoming webhook of Slack. */
  slackUrl: string
  /** Base URL of PagerDuty's Events API. */
  pagerDutyUrl: string
  slackMessages: string[]
  pagerDutyEvents: PagerDutyEvent[]
  close(): void
}

export interface PagerDutyEvent {
  routing_key: string
  event_action: string
  dedup_key?: string
  client?: string
  client_url?: string
  /** Undefined for an event that resolves an incident. */
  payload?: { summary: string; source: string; severity: string; timestamp?: string; custom_details?: unknown }
}

const slackPath = '/services/T000/B000/secret'
/** Maximum size of an event of PagerDuty. */
const maxEventCharacters = 512 * 1024

const severities = ['critical', 'error', 'warning', 'info']

const isText = (value: unknown, max = 1024): value is string =>
  typeof value === 'string' && value !== '' && value.length <= max

const validateTrigger = (event_action: string | undefined, payload: PagerDutyEvent['payload']): string[] => [
  ...(event_action === 'trigger' ? [] : ["'event_action' is invalid"]),
  ...(isText(payload?.summary) ? [] : ["'payload.summary' is missing or too long"]),
  ...(isText(payload?.source) ? [] : ["'payload.source' is missing"]),
  ...(severities.includes(payload?.severity ?? '') ? [] : ["'payload.severity' is invalid"]),
  ...(payload?.timestamp === undefined || !Number.isNaN(Date.parse(payload.timestamp))
    ? []
    : ["'payload.timestamp' is invalid"]),
]

/** Returns the errors that PagerDuty reports for an event. */
const validateEvent = ({ routing_key, event_action, dedup_key, payload }: Partial<PagerDutyEvent>): string[] => [
  ...(isText(routing_key) && routing_key.length === 32 ? [] : ["'routing_key' is invalid"]),
  ...(event_action === 'resolve' && !isText(dedup_key, 255) ? ["'dedup_key' is missing or too long"] : []),
  ...(event_action === 'resolve' ? [] : validateTrigger(event_action, payload)),
]

export const startAlertReceivers = async (): Promise<AlertReceivers> => {
  const slackMessages: string[] = []
  const pagerDutyEvents: PagerDutyEvent[] = []

  const answerSlack = (body: unknown): [number, string] => {
    const text: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : undefined
    if (!isText(text, 40_000)) return [400, 'no_text']
    slackMessages.push(text)
    return [200, 'ok']
  }
  const answerPagerDuty = (body: unknown): [number, string] => {
    const event = body as PagerDutyEvent
    const errors = validateEvent(event)
    if (errors.length > 0)
      return [400, JSON.stringify({ status: 'invalid event', message: 'Event object is invalid', errors })]
    pagerDutyEvents.push(event)
    return [202, JSON.stringify({ status: 'success', message: 'Event processed', dedup_key: event.dedup_key })]
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    const reply = ([status, body]: [number, string]) => void response.writeHead(status).end(body)
    if (request.method !== 'POST') return reply([405, 'method_not_allowed'])
    if (request.headers['content-type'] !== 'application/json') return reply([400, 'invalid_payload'])
    if (text.length > maxEventCharacters) return reply([413, 'Payload Too Large'])
    if (request.url === slackPath) return reply(answerSlack(JSON.parse(text)))
    return reply(request.url === '/v2/enqueue' ? answerPagerDuty(JSON.parse(text)) : [404, 'no_service'])
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${getPort(server)}`
  return {
    slackUrl: origin + slackPath,
    pagerDutyUrl: origin,
    slackMessages,
    pagerDutyEvents,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
