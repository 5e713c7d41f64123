import type { CallReport } from '@patchbay/contract/call-reports'
import { emptyHtml, type Html, html } from '../../lib/html.ts'

/** Draws the ladder diagram of a report as SVG, which needs no script and can be printed. */

const timeWidth = 76
const laneWidth = 220
const headHeight = 46
const rowHeight = 34
/** Longer names and titles would reach into the next lane. */
const maxCharacters = 32

type Arrow = CallReport['arrows'][number]

const shorten = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text)

const toLaneX = (lane: number): number => timeWidth + laneWidth * (lane + 0.5)

const drawLane = ({ host, name }: CallReport['lanes'][number], lane: number, height: number): Html => {
  const x = String(toLaneX(lane))
  return html`<text x="${x}" y="16" class="name">${shorten(name ?? '')}</text>
    <text x="${x}" y="34" class="host">${shorten(host)}</text>
    <line x1="${x}" y1="${String(headHeight)}" x2="${x}" y2="${String(height)}" class="lane" />`
}

/** Formats microseconds as seconds. */
export const formatOffset = (microseconds: number): string => `${(microseconds / 1e6).toFixed(3)} s`

/** Returns the number of a message in the report, from 1. */
export const toMessageNumber = ({ id }: Pick<Arrow, 'id'>): number => id + 1

const drawArrow = (arrow: Arrow, row: number): Html => {
  const { from, to, title, since_first, again } = arrow
  const y = headHeight + rowHeight * (row + 1)
  const [start, end] = from === to ? [toLaneX(from), toLaneX(from) + laneWidth * 0.3] : [toLaneX(from), toLaneX(to)]
  const point = end > start ? -7 : 7
  const label = again.length === 0 ? title : `${shorten(title)} (${again.length + 1} times)`
  return html`<a href="#message-${String(toMessageNumber(arrow))}">
    <text x="4" y="${String(y + 4)}" class="time">${formatOffset(since_first)}</text>
    <text x="${String((start + end) / 2)}" y="${String(y - 6)}" class="title">${shorten(label)}</text>
    <line x1="${String(start)}" y1="${String(y)}" x2="${String(end)}" y2="${String(y)}" class="arrow" />
    <path d="M${String(end)} ${String(y)}l${String(point)} -4v8z" class="head" />
  </a>`
}

/** Draws the messages between the hosts. */
export const renderLadder = ({ lanes, arrows }: CallReport): Html => {
  if (arrows.length === 0) return emptyHtml
  const height = headHeight + rowHeight * (arrows.length + 1)
  const width = timeWidth + laneWidth * lanes.length
  const size = `0 0 ${width} ${height}`
  return html`<div class="ladder" tabindex="0" role="region" aria-label="SIP ladder">
    <svg viewBox="${size}" width="${String(width)}" height="${String(height)}" role="group" aria-label="SIP ladder diagram">
      ${lanes.map((lane, index) => drawLane(lane, index, height))} ${arrows.map(drawArrow)}
    </svg>
  </div>`
}
