import type { Call } from '@patchbay/contract/recent-calls'
import { explainAlerts } from '@patchbay/rules/call-verdict/alert-rules'
import { explainTrace } from '@patchbay/rules/call-verdict/trace-rules'
import { explainLogErrors, judgeCall } from '@patchbay/rules/call-verdict/verdict'
import { nameLegs, selectLegs, toShownLegs } from '@patchbay/rules/sip/captured-legs'
import { parseSpans } from '@patchbay/rules/traces/traces'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { config } from '../../../api/configuration.ts'
import { capturesQuery, findingsCodeQuery } from '../../../sections/sip/queries.ts'
import { usePhoneNumberFormat } from '../../../ui/format/phone-number-format.ts'
import { legsQuery, traceQuery } from '../call-detail-queries.ts'
import { parseLogLine } from '../logs/log-lines.ts'
import { callLogsQuery } from '../logs/query.ts'
import { callAlertsQuery } from './queries.ts'

/** A kind of call data, and whether the verdict includes it. */
export interface CheckedSource {
  name: string
  state: 'loading' | 'checked' | 'empty' | 'failed'
}

const toState = (query: UseQueryResult, isEmpty: boolean): CheckedSource['state'] => {
  if (query.data !== undefined) return isEmpty ? 'empty' : 'checked'
  if (query.error === null) return 'loading'
  return isNotFound(query.error) ? 'empty' : 'failed'
}

const logErrors = (lines: readonly string[] = []): string[] =>
  lines.flatMap((line) => {
    const { level, message, text } = parseLogLine(line)
    return level === 'error' || level === 'fatal' ? [message || text] : []
  })

/**
 * Reads the captured SIP of a call that was not answered, as the SIP tab does. Without the extension that finds its
 * legs, and for answered calls, only a capture that the SIP tab has read already is used.
 */
const useSipEvidence = (call: Call) => {
  const { account_sid, answered, sip_callid } = call
  const formatNumber = usePhoneNumberFormat()
  const enabled = !answered && sip_callid !== null && config().extensions.has('call-legs')
  const ownCallId = sip_callid ?? ''
  const legs = useQuery({ ...legsQuery(call, ownCallId), enabled })
  const drawn = useMemo(
    () => selectLegs(toShownLegs(call, legs.data, formatNumber), ownCallId),
    [call, legs.data, formatNumber, ownCallId],
  )
  const callids = drawn.map((leg) => leg.sip_callid)
  const captures = useQuery({
    ...capturesQuery({ account_sid }, callids, ownCallId),
    enabled: enabled && !legs.isPending,
  })
  const named = useMemo(() => nameLegs(drawn, captures.data), [drawn, captures.data])
  const rules = useQuery({ ...findingsCodeQuery, enabled: named.length > 0 })
  const evidence = useMemo(
    () => (rules.data && named.length > 0 ? rules.data.explain(call, rules.data.analyze(named)) : []),
    [rules.data, call, named],
  )
  const source: CheckedSource = {
    name: 'SIP',
    state: rules.data === undefined && named.length > 0 ? toState(rules, false) : toState(captures, named.length === 0),
  }
  return { evidence, sources: enabled || captures.data !== undefined ? [source] : [] }
}

interface Available {
  isTraced: boolean
  isLogged: boolean
}

/** Judges a call by its record, and refines the verdict when trace, log lines, SIP, and alerts arrive. */
export const useVerdict = (call: Call, { isTraced, isLogged }: Available) => {
  const { account_sid, call_sid, trace_id } = call
  const trace = useQuery({ ...traceQuery(account_sid, trace_id ?? ''), enabled: isTraced })
  const logs = useQuery({ ...callLogsQuery(account_sid, call_sid ?? ''), enabled: isLogged })
  const alerts = useQuery(callAlertsQuery(call))
  const sip = useSipEvidence(call)
  const verdict = useMemo(
    () =>
      judgeCall(call, [
        ...explainAlerts(call, alerts.data ?? []),
        ...explainTrace(call, parseSpans(trace.data)),
        ...sip.evidence,
        ...explainLogErrors(logErrors(logs.data)),
      ]),
    [call, alerts.data, trace.data, sip.evidence, logs.data],
  )
  const sources: readonly CheckedSource[] = [
    { name: 'trace', state: isTraced ? toState(trace, false) : 'empty' },
    ...(isLogged ? [{ name: 'logs', state: toState(logs, logs.data?.length === 0) }] : []),
    ...sip.sources,
    { name: 'alerts', state: toState(alerts, false) },
  ]
  return { verdict, sources }
}
