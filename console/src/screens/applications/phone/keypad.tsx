import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import styles from './phone.module.css'

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']

/** Buttons for digits. Their keys on the keyboard send them, too. */
export const Keypad = ({ onDigit }: { onDigit: (digit: string) => void }) => {
  const [typed, setTyped] = useState('')
  const send = (digit: string) => {
    onDigit(digit)
    setTyped((before) => before + digit)
  }
  const onKeyDown = useEffectEvent(({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (!ctrlKey && !metaKey && !altKey && digits.includes(key)) send(key)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
  return (
    <div role="group" aria-label="Keypad" className={styles['keypad']}>
      {digits.map((digit) => (
        <Button key={digit} onClick={() => send(digit)}>
          {digit}
        </Button>
      ))}
      <output className={styles['typed']} aria-label="Sent digits">
        {typed}
      </output>
    </div>
  )
}
