import { useEffect, useState } from 'react'

/** From the first try to submit on, every fault shows, and the first has the focus. */
export const useValidationOnSubmit = () => {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus()
  }, [tries])
  return { showsErrors: tries > 0, showErrors: () => setTries((before) => before + 1) }
}
