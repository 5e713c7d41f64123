import type { ReviewSettings } from '@patchbay/contract/review-settings'
import type { Review } from '@patchbay/contract/reviews'
import { reviewLimits as limits, type ReviewScore } from '@patchbay/contract/shared/review-limits'
import { type FormEvent, useRef, useState } from 'react'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { CopyRequest } from '../../../form/copy-request/copy-request.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckboxField, TextArea } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import styles from './review.module.css'
import { ScoreField } from './score-field.tsx'

export type ReviewValues = Pick<Review, 'score' | 'criteria' | 'labels' | 'note'>

const parseLabels = (text: string): string[] =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')

interface ReviewFormProps {
  settings: Pick<ReviewSettings, 'criteria' | 'labels'>
  own: Review | undefined
  isBusy: boolean
  error: Error | null
  /** Sends the request of a save alone. */
  sendRequest: (values: ReviewValues) => Promise<unknown>
  /** @param isNext whether the next call is to open after saving */
  onSave: (values: ReviewValues, isNext: boolean) => void
  onCancel: () => void
  onDelete: () => void
}

/** Rates a call. */
export const ReviewForm = ({ settings, own, isBusy, error, ...on }: ReviewFormProps) => {
  const [score, setScore] = useState<ReviewScore | undefined>(own?.score)
  const [ratings, setRatings] = useState<ReadonlyMap<string, ReviewScore>>(
    new Map(own?.criteria.map((one) => [one.name, one.score])),
  )
  const [labels, setLabels] = useState<ReadonlySet<string>>(
    new Set(own?.labels.filter((label) => settings.labels.includes(label))),
  )
  const [otherLabels, setOtherLabels] = useState(
    own?.labels.filter((label) => !settings.labels.includes(label)).join(', ') ?? '',
  )
  const [note, setNote] = useState(own?.note ?? '')
  const [isChecked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const allLabels = [...new Set([...labels, ...parseLabels(otherLabels)])]
  const labelError =
    allLabels.length > limits.labels
      ? `Use at most ${limits.labels} labels`
      : allLabels.some((label) => label.length > limits.label)
        ? `Use at most ${limits.label} characters per label`
        : undefined
  const scoreError = isChecked && score === undefined ? 'Choose a score' : undefined

  /** Passes on the review, if it is valid. */
  const withReview = (use: (review: ReviewValues) => void) => {
    setChecked(true)
    if (score === undefined) return form.current?.querySelector<HTMLInputElement>('input[type=radio]')?.focus()
    if (labelError !== undefined) return form.current?.querySelector<HTMLInputElement>('[name=labels]')?.focus()
    // Ratings of criteria that the provider has removed are kept.
    const criteria = [...ratings].map(([name, rated]) => ({ name, score: rated })).slice(0, limits.criteria)
    use({ score, criteria, labels: allLabels, note: note.trim() })
  }
  const save = (isNext: boolean) => withReview((review) => on.onSave(review, isNext))
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isBusy) save(false)
  }
  const toggleLabel = (label: string) => {
    const next = new Set(labels)
    if (!next.delete(label)) next.add(label)
    setLabels(next)
  }
  return (
    <form ref={form} noValidate onSubmit={onSubmit} className={styles['form']} aria-label="Your review">
      <ScoreField
        label="Score of the call"
        hint="1 is bad, 5 is good."
        required
        value={score}
        onChange={setScore}
        error={scoreError}
      />
      {settings.criteria.map(({ name, description }) => (
        <ScoreField
          key={name}
          label={name}
          hint={description}
          value={ratings.get(name)}
          onChange={(rated) => setRatings(new Map(ratings).set(name, rated))}
        />
      ))}
      {settings.labels.length > 0 && (
        <fieldset className={styles['labels']}>
          <legend>Labels</legend>
          {settings.labels.map((label) => (
            <CheckboxField key={label} label={label} checked={labels.has(label)} onChange={() => toggleLabel(label)} />
          ))}
        </fieldset>
      )}
      <TextField
        name="labels"
        label={settings.labels.length > 0 ? 'Other labels' : 'Labels'}
        hint="Separate labels with commas."
        value={otherLabels}
        autoComplete="off"
        onChange={({ target }) => setOtherLabels(target.value)}
        error={labelError}
      />
      <TextArea label="Note" value={note} maxLength={limits.note} onChange={({ target }) => setNote(target.value)} />
      {error && <ErrorBanner error={error} />}
      <div className={styles['actions']}>
        <Button type="submit" variant="primary" busy={isBusy}>
          Save review
        </Button>
        <Button disabledReason={isBusy ? 'The review is being saved.' : undefined} onClick={() => save(true)}>
          Save and open next
        </Button>
        <CopyRequest prepare={(use) => withReview((review) => use(() => on.sendRequest(review)))} />
        <Button onClick={on.onCancel}>Cancel</Button>
        {own !== undefined && (
          <Button variant="ghost" onClick={on.onDelete}>
            Delete review
          </Button>
        )}
      </div>
    </form>
  )
}
