import { defineScreen } from './define-screen.ts'

const title = 'Register'

export const register = defineScreen({
  path: '/register',
  title,
  audience: 'visitor',
})

export const registerByEmail = defineScreen({
  path: '/register/email',
  title,
  audience: 'visitor',
})

/** The session token exists before the address is confirmed, but the server rejects it until then. */
export const verifyEmail = defineScreen({
  path: '/register/email/verify-your-email',
  title: 'Verify your email',
  audience: 'anyone',
})

export const chooseSubdomain = defineScreen({
  path: '/register/choose-a-subdomain',
  title: 'Choose a subdomain',
  audience: 'anyone',
})
