import { defineScreen } from './define-screen.ts'

const title = 'Register'

export const register = defineScreen({
  path: '/register',
  title,
  load: () => import('../screens/register/register.tsx'),
  stage: 'visitor',
})

export const registerByEmail = defineScreen({
  path: '/register/email',
  title,
  load: () => import('../screens/register/by-email.tsx'),
  stage: 'visitor',
})

/** The token of one who registers is there already, and good for nothing before the address is confirmed. */
export const verifyEmail = defineScreen({
  path: '/register/email/verify-your-email',
  title: 'Verify your email',
  load: () => import('../screens/register/verify-email.tsx'),
  stage: 'anyone',
})

export const chooseSubdomain = defineScreen({
  path: '/register/choose-a-subdomain',
  title: 'Choose a subdomain',
  load: () => import('../screens/register/choose-subdomain.tsx'),
  stage: 'anyone',
})

export const registerScreens = [register, registerByEmail, verifyEmail, chooseSubdomain] as const
