"""A design file by region, for several test modules."""

# The region in `SURVEY` is n, s or w. Its number is called weight, which means the design's here.
FILE = "region,weight,stratum,cluster\nn,1.5,north,a\ns,0,south,b\nw,2,south,c\n"  # line by line


def written(content: str) -> bytes:
    return content.encode()
