import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId } from '@patchbay/rules/traces/traces'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import { isNotFound } from '../../api/api-error.ts'
import { config } from '../../api/configuration.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { RecordDetails } from '../../record/record-details.tsx'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { SipPcap } from '../../sections/sip-pcap-download.tsx'
import { Button } from '../../ui/button.tsx'
import { lazyExtra } from '../../ui/lazy-extra.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { callShape } from './call-shape.ts'
import { useCallTab } from './call-tab.ts'
import styles from './call-tabs.module.css'
import {
  conversationQuery,
  hasConversations,
  isEmptyConversation,
  isFromTrace,
} from './conversation/conversation-query.ts'
import { Logs } from './logs/logs.tsx'
import { createPlayerLink } from './recording/player-link.ts'
import { ReportButton } from './report/report-button.tsx'
import { SideColumn } from './side-column.tsx'
import { Verdict } from './verdict/verdict.tsx'

const LazyConversation = lazyPart(
  'conversation',
  async () => (await import('./conversation/conversation.tsx')).ConversationTab,
)

const LazyTracing = lazyPart('tracing', async () => (await import('./trace/tracing.tsx')).Tracing)

const LazySide = lazyExtra(async () => (await import('./call-side.tsx')).CallSide)

/** The player loads with the first call that has a recording. */
const LazyPlayer = lazyPart('recording', async () => (await import('./recording/recording.tsx')).Recording)

const labels = {
  conversation: 'Conversation',
  details: 'Details',
  tracing: 'Tracing',
  logs: 'Logs',
  sip: 'SIP',
} as const

/** Logs are available if Patchbay stores them, or if the platform runs on AWS and keeps them there. */
const hasLogs = (): boolean => config().switches.has('call-logs') || config().awsRegion !== ''

type ConversationState = 'expected' | 'present' | 'unknown' | 'impossible'

/**
 * Returns whether a call has a conversation. A trace or a recording is expected to contain one. Without them, it consists
 * of events of an agent, or of a trace that names the call, so it has to be read to find out: `unknown` until then, and if
 * there is none. A conversation from a hidden trace is hidden, too. On the page of a call, the conversation is read in any
 * case, because the page opens on it.
 */
const useConversationState = (call: Call, isOwnPage: boolean): ConversationState => {
  const { answered, call_sid, recording_url, trace_id } = call
  const isTraceHidden = hidesTrace(call)
  const isTraced = isTraceId(trace_id) && !isTraceHidden
  const isReadable = call_sid !== null && hasConversations()
  const isExpected = answered && (isTraced || (!isTraceHidden && isReadable && Boolean(recording_url)))
  const isUnknown = answered && isReadable && !isExpected && (isTraceHidden || !isTraceId(trace_id))
  const { data, error } = useQuery({ ...conversationQuery(call), enabled: isUnknown || (isExpected && isOwnPage) })
  if (isExpected) return data && !isEmptyConversation(data) ? 'present' : 'expected'
  if (!isUnknown) return 'impossible'
  if (isTraceHidden) return data && !isEmptyConversation(data) && !isFromTrace(data) ? 'present' : 'unknown'
  // The tab shows why the conversation cannot be read, and reads it again.
  const isFailed = error !== null && !isNotFound(error)
  return isFailed || (data && !isEmptyConversation(data)) ? 'present' : 'unknown'
}

/** Returns whether the call has a trace that the console must not show. */
const hidesTrace = ({ trace_id }: Call): boolean => isTraceId(trace_id) && config().switches.has('no-tracing')

/** Says why a call has no tabs for its trace and its log lines. */
const explainUntraced = (): string =>
  config().switches.has('no-tracing')
    ? 'Traces and log lines are hidden because tracing is off for the console (DISABLE_JAEGER_TRACING).'
    : 'This call has no trace ID, so it has no trace and no log lines: tracing is off at the feature server, or the ' +
      'call failed before it reached one.'

interface CallPartsProps {
  call: Call
  /** True on the call's own page. */
  isOwnPage?: boolean
  /** The position of the leg on that page, from 1. */
  leg?: number
  Sip: ComponentType<{ call: Call; sip_callid: string }>
}

/** Link to the page of a call, for sharing. Calls that failed before they received a call_sid have no page. */
const OwnPage = ({ call: { account_sid, call_sid } }: { call: Call }) =>
  call_sid && (
    <ScreenLink to={oneCall} params={{ account_sid, call_sid }}>
      Open this call on its own page
    </ScreenLink>
  )

/**
 * Shows everything about a call: the verdict, the recording, and conversation, details, trace, logs, and SIP ladder in
 * tabs. Trace and logs load when the call is opened, and only once.
 */
export const CallParts = ({ call, isOwnPage = false, leg = 1, Sip }: CallPartsProps) => {
  const [link] = useState(createPlayerLink)
  const { account_sid, answered, call_sid, recording_url, sip_callid, trace_id } = call
  const isTraceHidden = hidesTrace(call)
  const isTraced = isTraceId(trace_id) && !isTraceHidden
  const isLogged = isTraced && call_sid !== null && hasLogs()
  const conversation = useConversationState(call, isOwnPage)
  const { tab, target, select } = useCallTab(
    isOwnPage,
    leg,
    isOwnPage && conversation === 'present' ? 'conversation' : 'details',
  )
  // A link to the conversation shows why there is none.
  const hasConversation =
    conversation === 'expected' || conversation === 'present' || (answered && tab === 'conversation' && !isTraceHidden)
  const hasTabs = isTraced || hasConversation
  const isSipOpen = tab === 'sip'
  const top = (
    <>
      <Verdict call={call} isTraced={isTraced} isLogged={isLogged} onShow={select} />
      {recording_url && (
        <LazyPlayer
          call={call}
          recording_url={recording_url}
          link={link}
          hasTranscript={!hasConversation}
          isSticky={isOwnPage}
        />
      )}
    </>
  )
  const details = (
    <>
      <div className={styles['acts']}>
        {sip_callid && (
          <SipPcap
            owner={{ account_sid }}
            sip_callid={sip_callid}
            method="invite"
            none="No SIP of this call was captured."
          />
        )}
        {sip_callid && !isTraced && conversation !== 'expected' && (
          <Button
            size="small"
            aria-expanded={hasTabs ? undefined : isSipOpen}
            onClick={() => select(isSipOpen ? 'details' : 'sip')}
          >
            SIP ladder
          </Button>
        )}
        <ReportButton call={call} />
        {!isOwnPage && <OwnPage call={call} />}
      </div>
      {sip_callid && !hasTabs && isSipOpen && <Sip call={call} sip_callid={sip_callid} />}
      <RecordDetails record={call} shape={callShape} />
    </>
  )
  if (!hasTabs)
    return (
      <>
        {top}
        {/* Tabs can replace the heading, without moving the details. */}
        {conversation === 'unknown' && <p className={styles['heading']}>{labels.details}</p>}
        {details}
        <p className={styles['untraced']}>{explainUntraced()}</p>
      </>
    )
  const parts = [
    hasConversation && 'conversation',
    'details',
    isTraced && 'tracing',
    isLogged && 'logs',
    sip_callid && 'sip',
  ] as const
  const tabs = parts.flatMap((id) => (id ? [{ id, label: labels[id] }] : []))
  const part = tabs.some(({ id }) => id === tab) ? tab : 'details'
  // The details contain all of it, and a timeline needs the whole width.
  const side = isOwnPage && <LazySide call={call} />
  return (
    <>
      {top}
      <Tabs label="Parts of the call" tabs={tabs} selected={part} onSelect={select}>
        {part === 'conversation' && (
          <LazyConversation
            call={call}
            link={link}
            startAt={target}
            side={side}
            onShowSpan={(id) => select('tracing', id)}
          />
        )}
        {part === 'details' && details}
        {part === 'tracing' && isTraced && (
          <LazyTracing account_sid={account_sid} trace_id={trace_id} span_id={target} />
        )}
        {part === 'logs' && call_sid && <Logs account_sid={account_sid} call_sid={call_sid} />}
        {part === 'sip' && sip_callid && (
          <SideColumn side={side} isWide>
            <div className={styles['acts']}>
              <ReportButton call={call} />
            </div>
            <Sip call={call} sip_callid={sip_callid} />
          </SideColumn>
        )}
      </Tabs>
      {!isTraced && <p className={styles['untraced']}>{explainUntraced()}</p>}
    </>
  )
}
