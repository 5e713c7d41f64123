import type { Review, ReviewedCall, ReviewList } from '@patchbay/contract/reviews'
import { csvLine, csvMark } from '@patchbay/rules/phone-number/csv'
import { createTranscriptReader, type Transcript } from '../../call-data/conversations/transcripts.ts'
import type { Masking } from '../../call-data/masking/masking.ts'
import type { Database } from '../../database/engine.ts'

/** Formats reviews for downloads. */

const columns = {
  started_at: ({ started_at }) => started_at,
  account_sid: ({ account_sid }) => account_sid,
  call_sid: ({ call_sid }) => call_sid,
  reasons: ({ reasons }) => reasons.join(' '),
  assignee: ({ assignee }) => assignee?.name,
  reviewer: (_call, { reviewer }) => reviewer,
  is_model: (_call, { is_model }) => is_model,
  reviewed_at: (_call, { updated_at }) => updated_at,
  score: (_call, { score }) => score,
  labels: (_call, { labels }) => labels.join(', '),
  note: (_call, { note }) => note,
} satisfies Record<string, (call: ReviewedCall, review: Review) => unknown>

/**
 * Yields the lines of a CSV table with a row for each review. The header is sent together with the first rows, so that a
 * failed read still results in an error response.
 *
 * @param criteria names of criteria, which have a column each
 */
export const formatReviewsCsv = async function* (
  pages: AsyncIterable<ReviewList['calls']>,
  criteria: readonly string[],
) {
  let header = csvMark + csvLine([...Object.keys(columns), ...criteria.map((name) => `criterion: ${name}`)])
  for await (const page of pages) {
    const rows = page.flatMap((call) =>
      call.reviews.map((review) => {
        const scores = new Map(review.criteria.map(({ name, score }) => [name, score]))
        const cells = Object.values(columns).map((toCell) => toCell(call, review))
        return csvLine([...cells, ...criteria.map((name) => scores.get(name))])
      }),
    )
    yield header + rows.join('')
    header = ''
  }
}

const maskTranscript = async (masking: Masking, account_sid: string, transcript: Transcript): Promise<Transcript> => {
  const rules = await masking.findRules({ account_sid })
  const maskedTurns = await masking.maskLines(
    rules,
    transcript.turns.map(({ text }) => text),
  )
  const turns = transcript.turns.map((turn, position) => ({ ...turn, text: maskedTurns[position] ?? '' }))
  return { ...transcript, turns }
}

/**
 * Yields a JSON text per line for each call. `transcript` is null if the account does not keep transcripts, or does not
 * show them to the caller.
 */
export const formatReviewsJsonl = async function* (
  { reader, masking }: { reader: Database['reader']; masking: Masking },
  pages: AsyncIterable<ReviewList['calls']>,
  isViewOnly: boolean,
) {
  const readTranscript = createTranscriptReader(reader, isViewOnly)
  for await (const page of pages) {
    const lines: string[] = []
    for (const call of page) {
      const stored = await readTranscript(call)
      const transcript = stored === undefined ? null : await maskTranscript(masking, call.account_sid, stored)
      lines.push(`${JSON.stringify({ ...call, transcript })}\n`)
    }
    yield lines.join('')
  }
}
