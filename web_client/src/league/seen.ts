/** Doing something again and again while the page is seen, and as soon as it is seen again. What it returns ends that. */
export function seen(every: number, again: () => void): () => void {
  const look = (): void => {
    if (document.visibilityState === 'visible') again();
  };
  const timer = setInterval(look, every);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
