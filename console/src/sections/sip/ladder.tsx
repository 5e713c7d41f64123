import type { SipFinding } from '@patchbay/rules/sip/findings/rule'
import { describeArrow, describeEarly, type SipArrow, type SipLadder, secondsText } from '@patchbay/rules/sip/ladder'
import { ClockAlert } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { TextFilter } from '../../ui/table/text-filter.tsx'
import { useTopRow, windowAt } from '../../ui/table/use-virtual-rows.ts'
import { ComparedDialog } from './compare-dialog.tsx'
import { Findings } from './findings.tsx'
import { formatAxisTime, formatMedia, getWait, having, toArrowLook, toColumnSpan } from './ladder-rows.ts'
import { MessageDialog } from './message-dialog.tsx'
import styles from './sip.module.css'

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

interface ArrowRowProps {
  arrow: SipArrow
  ladder: SipLadder
  /** from 1, and of how many */
  ordinal: readonly [position: number, count: number]
  /** The wait since the message in the row above, if it is long. */
  wait: string | undefined
  isActive: boolean
  isMarked: boolean
  onOpen: () => void
}

const ArrowRow = ({ arrow, ladder, ordinal: [position, count], wait, isActive, isMarked, onOpen }: ArrowRowProps) => {
  const { id, leg, title, message, sinceFirst, again, media } = arrow
  const early = describeEarly(arrow)
  const { start, length, isForward } = toColumnSpan(arrow, ladder.lanes.length)
  const mediaSummary = formatMedia(media)
  const labelParts = [describeArrow(ladder, arrow), mediaSummary, isMarked && 'marked'].filter(Boolean)
  return (
    <li aria-posinset={position} aria-setsize={count}>
      <button
        type="button"
        tabIndex={isActive ? 0 : -1}
        data-arrow={id}
        className={classes(styles['row'], styles[toArrowLook(arrow)], isMarked && styles['marked'])}
        onClick={onOpen}
      >
        <span className="visually-hidden">{labelParts.join(', ')}</span>
        <span className={styles['time']} title={early} aria-hidden="true">
          {wait && <span className={styles['wait']}>{wait}</span>}
          {early && <ClockAlert size={12} />}
          {formatAxisTime(sinceFirst)}
        </span>
        <span className={styles['lanes']} aria-hidden="true">
          <span
            className={classes(styles['arrow'], !isForward && styles['back'])}
            style={{ insetInlineStart: percent(start), inlineSize: percent(length) }}
          >
            <span className={styles['label']}>
              {ladder.legs.length > 1 && <span>{ladder.legs[leg]?.name} </span>}
              <strong>{title}</strong>
              {message && message.status === undefined && <span> {message.number || ''}</span>}
              {again.length > 0 && <span className={styles['again']}> ×{again.length + 1}</span>}
            </span>
            <span className={styles['line']} />
            {mediaSummary !== '' && <span className={styles['media']}>{mediaSummary}</span>}
          </span>
        </span>
      </button>
    </li>
  )
}

/** A spacer for rows that are not rendered. */
const Space = ({ rows }: { rows: number }) =>
  rows > 0 && <li aria-hidden="true" className={styles['space']} style={{ '--rows': rows } as CSSProperties} />

const portAt = (host: string): number => host.lastIndexOf(':')

const LaneHeads = ({ lanes }: Pick<SipLadder, 'lanes'>) => (
  <div className={styles['heads']}>
    <span className={styles['time']} title="Seconds since the first message">
      s
    </span>
    {lanes.map(({ host, name }) => (
      <span key={host} className={styles['head']}>
        {name && <strong>{name}</strong>}
        <span className="mono">
          {host.slice(0, portAt(host))}
          <wbr />
          {host.slice(portAt(host))}
        </span>
      </span>
    ))}
  </div>
)

interface LadderProps {
  ladder: SipLadder
  findings: readonly SipFinding[]
}

/**
 * The messages between hosts in causal order, below the findings. Arrow keys move between messages, and Enter
 * opens one.
 */
export const Ladder = ({ ladder, findings }: LadderProps) => {
  const { lanes, arrows } = ladder
  const [filter, setFilter] = useState('')
  const [active, setActive] = useState(0)
  const [finding, setFinding] = useState<SipFinding>()
  const [opened, setOpened] = useState<SipArrow>()
  const [first, setFirst] = useState<SipArrow>()
  const [second, setSecond] = useState<SipArrow>()
  const list = useRef<HTMLOListElement>(null)
  const rows = useMemo(() => having(arrows, filter), [arrows, filter])
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === active),
  )
  const [top, setTop] = useTopRow(list, rows.length)
  const { start, end } = windowAt(top, rows.length)
  const stop = Math.min(Math.max(at, start), end - 1)
  const marked = useMemo(() => new Set(finding?.arrows), [finding])

  const focus = (id: number, position: number) => {
    // Rendered synchronously, because a list that is still scrolling would remove the row again.
    flushSync(() => {
      setActive(id)
      if (position < start || position >= end) setTop(position)
    })
    list.current?.querySelector<HTMLElement>(`[data-arrow="${id}"]`)?.focus()
  }
  const go = (to: number) => {
    const position = Math.min(Math.max(to, 0), rows.length - 1)
    const row = rows[position]
    if (row !== undefined) focus(row.id, position)
  }
  const steps: Partial<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + 10,
    PageUp: at - 10,
    Home: 0,
    End: rows.length - 1,
  }
  const walk = (event: KeyboardEvent) => {
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  const show = (next: SipFinding) => {
    setFilter('')
    setFinding(next)
    const [firstArrow] = next.arrows
    if (firstArrow !== undefined) focus(firstArrow, firstArrow)
  }
  const open = (arrow: SipArrow) => {
    setActive(arrow.id)
    if (first === undefined) setOpened(arrow)
    else setSecond(arrow)
  }
  const neighbour = (arrow: SipArrow, step: 1 | -1) => {
    const next = rows[rows.indexOf(arrow) + step]
    return (
      next &&
      (() => {
        setActive(next.id)
        setOpened(next)
      })
    )
  }

  return (
    <div className={styles['sip']}>
      <Findings ladder={ladder} findings={findings} selected={finding} onShow={show} />
      <div className={styles['tools']}>
        <TextFilter label="Filter messages" value={filter} onChange={setFilter} />
        <output className="note">
          {rows.length === arrows.length ? `${arrows.length} messages` : `${rows.length} of ${arrows.length} messages`}
        </output>
        {finding && (
          <Button size="small" variant="ghost" onClick={() => setFinding(undefined)}>
            Unmark
          </Button>
        )}
      </div>
      {first && (
        <div role="status" className={styles['choosing']}>
          <span>
            Choose the message to compare with <strong>{first.title}</strong> of {secondsText(first.sinceFirst)}.
          </span>
          <Button size="small" onClick={() => setFirst(undefined)}>
            Do not compare
          </Button>
        </div>
      )}
      {rows.length === 0 ? (
        <p className="note">No messages match.</p>
      ) : (
        <div className={styles['frame']} style={{ '--lanes': lanes.length } as CSSProperties}>
          <div className={styles['drawn']}>
            <LaneHeads lanes={lanes} />
            <ol ref={list} role="list" aria-label="SIP messages" className={styles['rows']} onKeyDown={walk}>
              <Space rows={start} />
              {rows.slice(start, end).map((arrow, position) => (
                <ArrowRow
                  key={arrow.id}
                  arrow={arrow}
                  ladder={ladder}
                  ordinal={[start + position + 1, rows.length]}
                  wait={getWait(arrow, rows[start + position - 1])}
                  isActive={start + position === stop}
                  isMarked={marked.has(arrow.id)}
                  onOpen={() => open(arrow)}
                />
              ))}
              <Space rows={rows.length - end} />
            </ol>
          </div>
        </div>
      )}
      {opened && (
        <MessageDialog
          ladder={ladder}
          arrow={opened}
          onBefore={neighbour(opened, -1)}
          onAfter={neighbour(opened, 1)}
          onCompare={() => {
            setFirst(opened)
            setOpened(undefined)
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
      {first && second && (
        <ComparedDialog
          ladder={ladder}
          first={first}
          second={second}
          onClose={() => {
            setFirst(undefined)
            setSecond(undefined)
          }}
        />
      )}
    </div>
  )
}
