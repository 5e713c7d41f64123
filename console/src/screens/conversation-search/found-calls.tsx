import type { FoundCall, FoundTurn } from '@patchbay/contract/conversation-search'
import { conversationDirections } from '@patchbay/contract/conversations/figures'
import type { ReactNode } from 'react'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { CallDirection } from '../../sections/call-direction.tsx'
import { formatConversationTime } from '../../ui/format/conversation-time.ts'
import { Duration } from '../../ui/format/duration.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { getSpeakerLabel } from '../../ui/format/speaker-label.ts'
import { DateTime } from '../../ui/format/time.tsx'
import styles from './search.module.css'

/** Shows the calls that a search has found, with the turns that contain the words. */

/** Returns the text with its matches marked. */
const MarkedText = ({ text, matches }: Pick<FoundTurn, 'text' | 'matches'>) => {
  const parts: ReactNode[] = []
  let position = 0
  for (const [start, end] of matches) {
    parts.push(text.slice(position, start), <mark key={start}>{text.slice(start, end)}</mark>)
    position = end
  }
  return [...parts, text.slice(position)]
}

interface TurnLinkProps {
  call: FoundCall
  direction: FoundCall['conversation_direction']
  turn: FoundTurn
}

const TurnLink = ({ call: { account_sid, call_sid }, direction, turn }: TurnLinkProps) => (
  <ScreenLink
    to={oneCall}
    params={{ account_sid, call_sid }}
    search={{ tab: `conversation:${turn.start_ms}` }}
    className={styles['turn']}
  >
    <span className={styles['clock']}>{formatConversationTime(turn.start_ms)}</span>
    <span className={styles['speaker']}>{getSpeakerLabel(turn, direction)}</span>
    <span className={styles['text']}>
      <MarkedText text={turn.text} matches={turn.matches} />
    </span>
  </ScreenLink>
)

/** Returns the direction of the conversation. Transcripts of earlier versions have only that of the call record. */
const getDirection = ({ conversation_direction, direction }: FoundCall): FoundCall['conversation_direction'] =>
  conversation_direction ?? conversationDirections.find((one) => one === direction)

interface FoundCallsProps {
  calls: readonly FoundCall[]
  /** Names of accounts by SID. Empty if all calls belong to one account. */
  accountNames: ReadonlyMap<string, string>
}

/** Lists calls, newest first. Each turn leads to its place in the conversation of the call. */
export const FoundCalls = ({ calls, accountNames }: FoundCallsProps) => (
  <ol aria-label="Calls" className={styles['calls']}>
    {calls.map((call) => {
      const hidden = call.turn_count - call.turns.length
      const accountName = accountNames.get(call.account_sid)
      return (
        <li key={`${call.account_sid} ${call.call_sid}`} className={styles['call']}>
          <p className={styles['head']}>
            <DateTime iso={call.attempted_at} />
            <span>
              {call.from && <PhoneNumberText value={call.from} />}
              {call.to && (
                <>
                  {' → '}
                  <PhoneNumberText value={call.to} />
                </>
              )}
            </span>
            {call.direction && <CallDirection direction={call.direction} />}
            <Duration seconds={call.duration} />
            {accountName !== undefined && <Name>{accountName}</Name>}
          </p>
          <ul className={styles['turns']}>
            {call.turns.map((turn, position) => (
              <li key={`${turn.start_ms} ${position}`}>
                <TurnLink call={call} direction={getDirection(call)} turn={turn} />
              </li>
            ))}
          </ul>
          {hidden > 0 && (
            <p className="note">
              {hidden === 1 ? '1 further turn contains' : `${hidden} further turns contain`} the words.
            </p>
          )}
        </li>
      )
    })}
  </ol>
)
