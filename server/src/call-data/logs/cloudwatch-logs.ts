import type { Call } from '@patchbay/contract/recent-calls'
import { awsLogger, createAwsRequestHandler } from '../../adapters/outbound-http/aws-request-handler.ts'
import { mebibyte, operatorTransport } from '../../adapters/outbound-http/transport.ts'
import type { Logs } from './logs.ts'

/**
 * Log lines from Amazon CloudWatch, for a jambonz installation on AWS
 * (docs/reference/platform-api/traces-and-captures.md#call-logs).
 */

const defaultLogGroup = 'jambonz-feature_server'

/** Programs log about a call shortly before it starts and after it ends. */
const marginMs = 60_000

const maxLines = 50_000

/** CloudWatch returns pages of 1 MB. JSON syntax and escapes add to that. */
const requestHandler = createAwsRequestHandler(operatorTransport, { maxResponseBytes: 8 * mebibyte })

/** Quotes a string for a CloudWatch filter pattern. */
const quote = (text: string): string => JSON.stringify(text)

const buildFilterPattern = ({ call_sid, sip_callid }: Call): string =>
  `{ ($.callSid = ${quote(call_sid ?? '')}) || ($.callId = ${quote(sip_callid ?? '')}) }`

const getEndMs = ({ attempted_at, terminated_at }: Call): number => {
  const end = terminated_at === null ? 0 : Date.parse(terminated_at)
  return Math.max(end, Date.parse(attempted_at))
}

export interface CloudWatchLogs extends Logs {
  /** Rejects if CloudWatch does not respond, or does not accept the credentials. The default log group need not exist. */
  check(): Promise<void>
}

/** Creates the log reader. Credentials come from the default provider chain of the AWS SDK. */
export const createCloudWatchLogs = (region: string, timeoutSeconds = 25): CloudWatchLogs => ({
  async check() {
    const { CloudWatchLogsClient, FilterLogEventsCommand, ResourceNotFoundException } = await import(
      '@aws-sdk/client-cloudwatch-logs'
    )
    const client = new CloudWatchLogsClient({ region, maxAttempts: 1, requestHandler, logger: awsLogger })
    const now = Date.now()
    const query = { logGroupName: defaultLogGroup, startTime: now, endTime: now, limit: 1 }
    try {
      await client.send(new FilterLogEventsCommand(query), { abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) })
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error
    } finally {
      client.destroy()
    }
  },
  async read(call, logGroupName = defaultLogGroup) {
    const { CloudWatchLogsClient, paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs')
    const client = new CloudWatchLogsClient({ region, maxAttempts: 2, requestHandler, logger: awsLogger })
    try {
      const query = {
        logGroupName,
        startTime: Date.parse(call.attempted_at) - marginMs,
        endTime: getEndMs(call) + marginMs,
        filterPattern: buildFilterPattern(call),
      }
      const lines: string[] = []
      const abortSignal = AbortSignal.timeout(timeoutSeconds * 1000)
      for await (const { events = [] } of paginateFilterLogEvents({ client }, query, { abortSignal })) {
        lines.push(...events.flatMap(({ message }) => (message === undefined ? [] : [message])))
        if (lines.length >= maxLines) break
      }
      return lines
    } catch (error) {
      // The SDK throws a SyntaxError if the response is not valid JSON.
      if (error instanceof SyntaxError) throw new Error('CloudWatch returned an unexpected response', { cause: error })
      throw error
    } finally {
      client.destroy()
    }
  },
})
