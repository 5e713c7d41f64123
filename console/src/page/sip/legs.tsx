import { Button } from '../../ui/button.tsx'
import styles from './sip.module.css'

interface LegsProps {
  legs: readonly { name: string; sip_callid: string; words: string }[]
  /** the Call-ID of the leg that is looked at */
  own: string
  /** legs of which there is nothing to draw */
  missing: number
  chosen: string | undefined
  onChoose: (sip_callid: string | undefined) => void
}

const missingWords = (missing: number): string =>
  missing === 1 ? 'Of one more leg no SIP is shown.' : `Of ${missing} more legs no SIP is shown.`

/** What each leg of the call is, and which of them the ladder shows. */
export const Legs = ({ legs, own, missing, chosen, onChoose }: LegsProps) => (
  <div role="group" aria-label="Legs of the call" className={styles['tools']}>
    {legs.length > 1 && (
      <Button size="small" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
        All legs
      </Button>
    )}
    {legs.map(({ name, sip_callid, words }) => (
      <Button
        key={sip_callid}
        size="small"
        aria-pressed={chosen === sip_callid || legs.length === 1}
        onClick={() => onChoose(sip_callid)}
      >
        Leg {name}: {words}
        {sip_callid === own && ' (this record)'}
      </Button>
    ))}
    {missing > 0 && <span className={styles['count']}>{missingWords(missing)}</span>}
  </div>
)
