from math import comb
def stones_of(e): 
    a,b=e.split("-"); return int(a),int(b)
def stride(w,b):
    return -(-comb(24-w,b)//64)*64
