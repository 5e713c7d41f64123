import type { Call } from '@patchbay/contract/recent-calls'
import { awsLogger, createAwsRequestHandler } from '../../adapters/outbound-http/aws-request-handler.ts'
import { mebibyte, operatorTransport } from '../../adapters/outbound-http/transport.ts'
import type { Logs } from './logs.ts'

/** Log lines from Amazon CloudWatch, where the platform runs there (api/4-calls-and-hosted.md §2.5). */

const usualGroup = 'jambonz-feature_server'

/** Programs write about a call a little before and after it. */
const marginMilliseconds = 60_000

const maxLines = 50_000

/** CloudWatch answers pages of 1 MB; JSON and its escapes add to that. */
const requestHandler = createAwsRequestHandler(operatorTransport, { maxResponseBytes: 8 * mebibyte })

/** A text in a filter pattern of CloudWatch. */
const quoted = (text: string): string => JSON.stringify(text)

const patternOf = ({ call_sid, sip_callid }: Call): string =>
  `{ ($.callSid = ${quoted(call_sid ?? '')}) || ($.callId = ${quoted(sip_callid ?? '')}) }`

const endOf = ({ attempted_at, terminated_at }: Call): number => {
  const end = terminated_at === null ? 0 : Date.parse(terminated_at)
  return Math.max(end, Date.parse(attempted_at))
}

/** Credentials are found as all of Amazon's programs find theirs. */
export const createCloudWatchLogs = (region: string, timeoutSeconds = 25): Logs => ({
  async read(call, logGroupName = usualGroup) {
    const { CloudWatchLogsClient, paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs')
    const client = new CloudWatchLogsClient({ region, maxAttempts: 2, requestHandler, logger: awsLogger })
    try {
      const question = {
        logGroupName,
        startTime: Date.parse(call.attempted_at) - marginMilliseconds,
        endTime: endOf(call) + marginMilliseconds,
        filterPattern: patternOf(call),
      }
      const lines: string[] = []
      const abortSignal = AbortSignal.timeout(timeoutSeconds * 1000)
      for await (const { events = [] } of paginateFilterLogEvents({ client }, question, { abortSignal })) {
        lines.push(...events.flatMap(({ message }) => (message === undefined ? [] : [message])))
        if (lines.length >= maxLines) break
      }
      return lines
    } catch (error) {
      // The SDK parses what it is answered.
      if (error instanceof SyntaxError)
        throw new Error('CloudWatch answered with something unreadable', { cause: error })
      throw error
    } finally {
      client.destroy()
    }
  },
})
