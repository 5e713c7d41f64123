import { useEffect, useState } from 'react'

/** Shows all errors from the first submit on, and focuses the first invalid field. */
export const useValidationOnSubmit = () => {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus()
  }, [tries])
  return { showsErrors: tries > 0, showErrors: () => setTries((before) => before + 1) }
}
