import { type ReviewScore, reviewScores } from '@patchbay/contract/shared/review-limits'
import { useId } from 'react'
import styles from './review.module.css'

interface ScoreFieldProps {
  label: string
  hint?: string
  required?: boolean
  value: ReviewScore | undefined
  onChange: (score: ReviewScore) => void
  error?: string | undefined
}

/** A score from 1 (bad) to 5 (good), as radio buttons. */
export const ScoreField = ({ label, hint, required = false, value, onChange, error }: ScoreFieldProps) => {
  const id = useId()
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <fieldset className={styles['score']} aria-describedby={notes || undefined}>
      <legend>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </legend>
      {hint && (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
      <div className={styles['choices']}>
        {reviewScores.map((score) => (
          <label key={score} className={styles['choice']}>
            <input
              type="radio"
              name={id}
              value={score}
              required={required}
              checked={value === score}
              onChange={() => onChange(score)}
            />
            <span>
              {score}
              {score === reviewScores[0] && <span className="visually-hidden">, bad</span>}
              {score === reviewScores.at(-1) && <span className="visually-hidden">, good</span>}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
